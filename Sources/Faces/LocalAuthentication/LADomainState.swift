import Foundation

/// The means of authentication, in a form that can be compared with that of another day.
public final class LADomainState: NSObject, Sendable {
    public let biometry: LADomainStateBiometry
    public let companion = LADomainStateCompanion()

    init(biometryType: LABiometryType, stateHash: Data?) {
        biometry = LADomainStateBiometry(biometryType: biometryType, stateHash: stateHash)
    }

    /// Data that changes with anything that is enrolled; nil where nothing is.
    public var stateHash: Data? { biometry.stateHash }
}

/// The biometrics of an ``LADomainState``.
public final class LADomainStateBiometry: NSObject, Sendable {
    public let biometryType: LABiometryType
    /// Data that changes when other biometrics are enrolled; nil where none are.
    ///
    /// Each program gets different data.
    public let stateHash: Data?

    init(biometryType: LABiometryType, stateHash: Data?) {
        self.biometryType = biometryType
        self.stateHash = stateHash
    }
}

/// The person's nearby devices of an ``LADomainState``; systems of this kind know none.
public final class LADomainStateCompanion: NSObject, Sendable {
    /// Always nil, since there is no device.
    public var stateHash: Data? { nil }
}
