import Foundation
import Security
import Testing

/// Tests that each status has a sentence.
struct ErrorMessageTests {
    @Test func everyCodeOfTheTableHasItsSentence() throws {
        let messages = try ReferenceTable("status-messages.tsv").rows
        let codes = Dictionary(uniqueKeysWithValues: CompiledConstants.statuses.map { ($0.name, $0.value) })
        for row in messages {
            let code = try #require(codes[row[0]])
            #expect(SecCopyErrorMessageString(code, nil) as String? == row[1])
        }
        for (name, code) in codes {
            #expect(SecCopyErrorMessageString(code, nil) != "OSStatus \(code)" as CFString, "\(name)")
        }
    }

    @Test(arguments: [(2, "No such file or directory"), (13, "Permission denied")] as [(OSStatus, String)])
    func anErrorOfTheSystemHasItsWords(number: OSStatus, words: String) {
        #expect(SecCopyErrorMessageString(100_000 + number, nil) as String? == "UNIX[\(words)]")
    }

    @Test(arguments: [1, -1, -67905, -67657 - 100_000, 99_999, 100_256, .min, .max] as [OSStatus])
    func anUnknownCodeIsNamedByItsNumber(code: OSStatus) {
        #expect(SecCopyErrorMessageString(code, nil) as String? == "OSStatus \(code)")
    }
}
