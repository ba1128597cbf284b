/// A signed count or index.
public typealias CFIndex = Int
/// A number that tells the kinds of objects apart within one process; not stable across versions.
public typealias CFTypeID = UInt
/// A hash, which ``CFHash(_:)`` returns.
public typealias CFHashCode = UInt
/// A set of flags.
public typealias CFOptionFlags = UInt
/// A length of time in seconds.
public typealias CFTimeInterval = Double
/// Seconds since 2001-01-01 00:00:00 UTC.
public typealias CFAbsoluteTime = CFTimeInterval

/// The result of a call of Security: zero is success.
public typealias OSStatus = Int32
/// Four characters in one number.
public typealias FourCharCode = UInt32
/// Four characters in one number that name a type.
public typealias OSType = FourCharCode

/// The status of success; older code compares with it instead of `errSecSuccess`.
@inlinable public var noErr: OSStatus { 0 }
