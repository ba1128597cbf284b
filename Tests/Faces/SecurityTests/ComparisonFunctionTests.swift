import CoreFoundation
import Foundation
import Security
import Testing

/// Tests of CoreFoundation's functions that compare, search and sort, called as on Apple's platforms.
struct ComparisonFunctionTests {
    @Test func stringsHaveAnOrder() {
        #expect(CFStringCompare("a" as CFString, "b" as CFString, []) == .compareLessThan)
        #expect(CFStringCompare("B" as CFString, "a" as CFString, .compareCaseInsensitive) == .compareGreaterThan)
        #expect(CFStringCompare(kSecClass, "class" as CFString, []) == .compareEqualTo)
        #expect(CFStringCompare("CLASS" as CFString, kSecClass, []) != .compareEqualTo)
        #expect(CFStringCompare("CLASS" as CFString, kSecClass, .compareCaseInsensitive) == .compareEqualTo)
        #expect(CFStringCompare("a9" as CFString, "a10" as CFString, []) == .compareGreaterThan)
        #expect(CFStringCompare("a9" as CFString, "a10" as CFString, .compareNumerically) == .compareLessThan)
        let (composed, decomposed) = ("\u{e9}" as CFString, "e\u{301}" as CFString)
        #expect(CFStringCompare(composed, decomposed, []) != .compareEqualTo)
        #expect(CFStringCompare(composed, decomposed, .compareNonliteral) == .compareEqualTo)
        #expect(
            CFStringCompare(composed, "E" as CFString, [.compareDiacriticInsensitive, .compareCaseInsensitive])
                == .compareEqualTo)
        #expect(CFStringCompare("b" as CFString, "a" as CFString, .compareLocalized).rawValue == 1)
        #expect(CFStringCompare(nil, "a" as CFString, []) == .compareLessThan)
    }

    @Test func stringsAreFound() {
        let text = "com.example.mail.Com" as CFString
        let first = CFStringFind(text, "example" as CFString, [])
        #expect(first.location == 4 && first.length == 7)
        let last = CFStringFind(text, "com" as CFString, [.compareBackwards, .compareCaseInsensitive])
        #expect(last.location == 17 && last.length == 3)
        for (wanted, options) in [("q", []), ("example", .compareAnchored), ("COM", [])] as [(_, CFStringCompareFlags)]
        {
            let none = CFStringFind(text, wanted as CFString, options)
            #expect(none.location == kCFNotFound && none.length == 0, "\(wanted)")
        }
        #expect(CFStringHasPrefix(text, "com." as CFString) && !CFStringHasPrefix(text, "Com" as CFString))
        #expect(CFStringHasSuffix(text, ".Com" as CFString) && !CFStringHasSuffix(text, "com" as CFString))
        #expect(!CFStringHasPrefix(nil, "com" as CFString) && CFStringFind(text, nil, []).location == kCFNotFound)
    }

    @Test func pointsInTimeHaveAnOrder() {
        let (early, late) = (CFDateCreate(nil, 1), CFDateCreate(nil, 3.5))
        #expect(CFDateCompare(early, late, nil) == .compareLessThan)
        #expect(CFDateCompare(late, early, nil) == .compareGreaterThan)
        #expect(CFDateCompare(Date(timeIntervalSinceReferenceDate: 1) as CFDate, early, nil) == .compareEqualTo)
        #expect(CFDateGetTimeIntervalSinceDate(late, early) == 2.5)
    }

    @Test func arraysAreJoinedVisitedAndSorted() throws {
        let labels = try #require(CFArrayCreateMutable(nil, 0, nil))
        CFArrayAppendArray(labels, ["x", "b", "c", "a", "y"] as CFArray, CFRangeMake(1, 3))
        CFArrayAppendArray(labels, ["a"] as CFArray, CFRangeMake(0, 9))
        CFArrayAppendArray(labels, ["z"] as CFArray, CFRangeMake(-1, 9))
        #expect(labels == ["b", "c", "a", "a"])
        CFArraySortValues(
            labels, CFRangeMake(0, CFArrayGetCount(labels)),
            { left, right, _ in
                CFStringCompare(unsafeBitCast(left, to: CFString.self), unsafeBitCast(right, to: CFString.self), [])
            }, nil)
        #expect(labels == ["a", "a", "b", "c"])
        CFArraySortValues(
            labels, CFRangeMake(2, 9),
            { left, right, context in
                context?.assumingMemoryBound(to: Int.self).pointee += 1
                return CFStringCompare(
                    unsafeBitCast(right, to: CFString.self), unsafeBitCast(left, to: CFString.self), [])
            }, nil)
        #expect(labels == ["a", "a", "c", "b"])
        var count = 0
        CFArrayApplyFunction(
            labels, CFRangeMake(1, 2),
            { element, context in
                if element != nil { context?.assumingMemoryBound(to: Int.self).pointee += 1 }
            }, &count)
        #expect(count == 2)
    }

    @Test func errorsSayWhyAndWhatToDo() {
        let error = CFErrorCreate(
            nil, kCFErrorDomainOSStatus, -50,
            [
                kCFErrorLocalizedFailureReasonKey: "why", kCFErrorLocalizedRecoverySuggestionKey: "do this",
                kCFErrorDescriptionKey: "for programmers",
            ] as [CFString: String] as CFDictionary)
        #expect(CFErrorCopyFailureReason(error) == "why" && CFErrorCopyRecoverySuggestion(error) == "do this")
        #expect(error?.localizedFailureReason == "why" && error?.localizedRecoverySuggestion == "do this")
        let silent = NSError(domain: NSOSStatusErrorDomain, code: -50)
        #expect(CFErrorCopyFailureReason(silent) == nil && CFErrorCopyRecoverySuggestion(silent) == nil)
        #expect(
            kCFErrorDomainCocoa as String == NSCocoaErrorDomain && kCFErrorDomainMach as String == NSMachErrorDomain)
        let keys = [kCFErrorLocalizedFailureKey, kCFErrorURLKey, kCFErrorFilePathKey].map { $0 as String? }
        #expect(keys == ["NSLocalizedFailure", "NSURL", "NSFilePath"])
    }

    @Test func filesHaveLocators() throws {
        let url = try #require(
            CFURLCreateWithFileSystemPath(nil, "/tmp/a b" as CFString, .cfurlposixPathStyle, false))
        #expect(url as URL == URL(fileURLWithPath: "/tmp/a b"))
        #expect(CFURLCopyFileSystemPath(url, .cfurlposixPathStyle) == "/tmp/a b")
        let folder = CFURLCreateWithFileSystemPath(nil, "/tmp" as CFString, .cfurlposixPathStyle, true)
        #expect(folder?.hasDirectoryPath == true && CFGetTypeID(folder) == CFURLGetTypeID())
    }
}
