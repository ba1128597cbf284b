import Foundation

/// The seconds from 1 January 1970 to 1 January 2001, where ``CFAbsoluteTime`` begins.
public let kCFAbsoluteTimeIntervalSince1970: CFTimeInterval = 978_307_200

/// Returns the current time in seconds since 2001-01-01 00:00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// Makes a point in time.
public func CFDateCreate(_ allocator: CFAllocator!, _ at: CFAbsoluteTime) -> CFDate! {
    NSDate(timeIntervalSinceReferenceDate: at)
}

/// Returns the seconds since 2001-01-01 00:00:00 UTC.
public func CFDateGetAbsoluteTime(_ theDate: CFDate!) -> CFAbsoluteTime {
    theDate?.timeIntervalSinceReferenceDate ?? 0
}

/// Returns the seconds from another point in time to this one.
public func CFDateGetTimeIntervalSinceDate(_ theDate: CFDate!, _ otherDate: CFDate!) -> CFTimeInterval {
    CFDateGetAbsoluteTime(theDate) - CFDateGetAbsoluteTime(otherDate)
}

/// Compares two points in time; the context has no meaning.
public func CFDateCompare(
    _ theDate: CFDate!, _ otherDate: CFDate!, _ context: UnsafeMutableRawPointer!
) -> CFComparisonResult {
    let interval = CFDateGetTimeIntervalSinceDate(theDate, otherDate)
    return interval < 0 ? .compareLessThan : interval > 0 ? .compareGreaterThan : .compareEqualTo
}
