/// A result code of Security, as Apple numbers it (`OSStatus`).
///
/// Only the codes that our own code answers with have names here; ``StatusCatalogue`` knows all of them.
public struct Status: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let success = Status(rawValue: 0)
    public static let unimplemented = Status(rawValue: -4)
    public static let ioError = Status(rawValue: -36)
    public static let param = Status(rawValue: -50)
    public static let allocate = Status(rawValue: -108)
    public static let userCanceled = Status(rawValue: -128)
    public static let internalComponent = Status(rawValue: -2070)
    public static let notAvailable = Status(rawValue: -25291)
    public static let readOnly = Status(rawValue: -25292)
    public static let authFailed = Status(rawValue: -25293)
    public static let duplicateItem = Status(rawValue: -25299)
    public static let itemNotFound = Status(rawValue: -25300)
    public static let dataTooLarge = Status(rawValue: -25302)
    public static let noSuchAttribute = Status(rawValue: -25303)
    public static let noSuchClass = Status(rawValue: -25306)
    public static let interactionNotAllowed = Status(rawValue: -25308)
    public static let decode = Status(rawValue: -26275)
    public static let missingEntitlement = Status(rawValue: -34018)
}

extension Status: CustomStringConvertible {
    public var description: String { StatusCatalogue.entry(for: rawValue)?.name.description ?? "OSStatus \(rawValue)" }
}
