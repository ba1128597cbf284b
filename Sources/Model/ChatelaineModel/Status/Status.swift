/// A result code of Security, as Apple numbers it (`OSStatus`).
///
/// Only the codes that our own code returns have names here; ``StatusCatalogue`` has all of them.
package struct Status: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let success = Status(rawValue: 0)
    package static let unimplemented = Status(rawValue: -4)
    package static let ioError = Status(rawValue: -36)
    package static let param = Status(rawValue: -50)
    package static let wrPerm = Status(rawValue: -61)
    package static let allocate = Status(rawValue: -108)
    package static let userCanceled = Status(rawValue: -128)
    package static let internalComponent = Status(rawValue: -2070)
    package static let aclNotSimple = Status(rawValue: -25240)
    package static let noAccessForItem = Status(rawValue: -25243)
    package static let invalidOwnerEdit = Status(rawValue: -25244)
    package static let policyNotFound = Status(rawValue: -25241)
    package static let trustNotAvailable = Status(rawValue: -25245)
    package static let invalidTrustSettings = Status(rawValue: -25262)
    package static let noTrustSettings = Status(rawValue: -25263)
    package static let unsupportedFormat = Status(rawValue: -25256)
    package static let unknownFormat = Status(rawValue: -25257)
    package static let multiplePrivateKeys = Status(rawValue: -25259)
    package static let passphraseRequired = Status(rawValue: -25260)
    package static let notAvailable = Status(rawValue: -25291)
    package static let readOnly = Status(rawValue: -25292)
    package static let authFailed = Status(rawValue: -25293)
    package static let noSuchKeychain = Status(rawValue: -25294)
    package static let invalidKeychain = Status(rawValue: -25295)
    package static let duplicateKeychain = Status(rawValue: -25296)
    package static let duplicateCallback = Status(rawValue: -25297)
    package static let invalidCallback = Status(rawValue: -25298)
    package static let duplicateItem = Status(rawValue: -25299)
    package static let itemNotFound = Status(rawValue: -25300)
    package static let bufferTooSmall = Status(rawValue: -25301)
    package static let dataTooLarge = Status(rawValue: -25302)
    package static let noSuchAttribute = Status(rawValue: -25303)
    package static let invalidItemReference = Status(rawValue: -25304)
    package static let noSuchClass = Status(rawValue: -25306)
    package static let noDefaultKeychain = Status(rawValue: -25307)
    package static let interactionNotAllowed = Status(rawValue: -25308)
    package static let wrongSecVersion = Status(rawValue: -25310)
    package static let dataNotModifiable = Status(rawValue: -25317)
    package static let createChainFailed = Status(rawValue: -25318)
    package static let invalidPrefsDomain = Status(rawValue: -25319)
    package static let decode = Status(rawValue: -26275)
    package static let missingEntitlement = Status(rawValue: -34018)
    package static let hostNameMismatch = Status(rawValue: -67602)
    package static let unknownCriticalExtensionFlag = Status(rawValue: -67603)
    package static let noBasicConstraintsCA = Status(rawValue: -67605)
    package static let invalidKeyUsageForPolicy = Status(rawValue: -67608)
    package static let invalidExtendedKeyUsage = Status(rawValue: -67609)
    package static let pathLengthConstraintExceeded = Status(rawValue: -67611)
    package static let smimeEmailAddressesNotFound = Status(rawValue: -67623)
    package static let incompleteCertRevocationCheck = Status(rawValue: -67635)
    package static let trustSettingDeny = Status(rawValue: -67654)
    package static let invalidName = Status(rawValue: -67689)
    package static let unsupportedKeySize = Status(rawValue: -67735)
    package static let verifyFailed = Status(rawValue: -67808)
    package static let invalidACL = Status(rawValue: -67702)
    package static let invalidDigestAlgorithm = Status(rawValue: -67815)
    package static let certificateExpired = Status(rawValue: -67818)
    package static let certificateNotValidYet = Status(rawValue: -67819)
    package static let certificateRevoked = Status(rawValue: -67820)
    package static let notTrusted = Status(rawValue: -67843)
    package static let certificateValidityPeriodTooLong = Status(rawValue: -67901)
}

extension Status {
    /// The status that Security makes of an error number of the system, if there is no better one.
    package static func system(_ number: Int32) -> Status { Status(rawValue: systemErrors.lowerBound + number) }

    /// The error number of the system that the status stands for; nil for any other status.
    var systemError: Int32? {
        Self.systemErrors.contains(rawValue) ? rawValue - Self.systemErrors.lowerBound : nil
    }

    /// Apple's `errSecErrnoBase` and `errSecErrnoLimit`.
    private static let systemErrors: ClosedRange<Int32> = 100_000...100_255
}

extension Status: CustomStringConvertible {
    package var description: String { StatusCatalogue.entry(for: rawValue)?.name.description ?? "OSStatus \(rawValue)" }
}
