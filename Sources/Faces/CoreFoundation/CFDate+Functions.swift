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
