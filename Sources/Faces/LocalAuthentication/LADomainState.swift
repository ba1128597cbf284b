import Foundation

/// By what a person could show that they are there, in a form that can be compared with that of another day.
public final class LADomainState: NSObject, Sendable {
    public let biometry: LADomainStateBiometry
    public let companion = LADomainStateCompanion()

    init(biometryType: LABiometryType, stateHash: Data?) {
        biometry = LADomainStateBiometry(biometryType: biometryType, stateHash: stateHash)
    }

    /// Another one as soon as anything that is enrolled changes; nil where nothing is.
    public var stateHash: Data? { biometry.stateHash }
}

/// The biometrics of an ``LADomainState``.
public final class LADomainStateBiometry: NSObject, Sendable {
    public let biometryType: LABiometryType
    /// Another one as soon as others are enrolled, and another one for each program; nil where none are.
    public let stateHash: Data?

    init(biometryType: LABiometryType, stateHash: Data?) {
        self.biometryType = biometryType
        self.stateHash = stateHash
    }
}

/// The devices of the same person's of an ``LADomainState``: no system of this kind knows one.
public final class LADomainStateCompanion: NSObject, Sendable {
    /// nil, since there is no device.
    public var stateHash: Data? { nil }
}
