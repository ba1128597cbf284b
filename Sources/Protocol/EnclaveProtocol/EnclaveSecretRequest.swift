import ChatelaineModel

/// A request with which passcodes or passwords come, each by a descriptor.
///
/// securityd passes the descriptors on unread, and no message holds any part of what is in them. The custodian takes
/// the bytes as they are. A request fails with `errSecParam` for a secret of no accepted length, or one that does not
/// come in time. Only functions for requests of this kind are given secrets, so none comes that nobody reads.
package protocol EnclaveSecretRequest: EnclaveStoreRequest {
    /// The secrets that come with the request; nil for none.
    var passcodes: RequestPasscodes? { get }
}

/// A request about the passcode of a keybag, or one for which the passcode is given.
///
/// A wrong passcode is an outcome in the reply and no failure. All of these requests fail with `errSecAllocate` where
/// there is no memory to check a passcode; the attempt then does not count. They fail with `errSecParam` where there is
/// no passcode.
package protocol EnclavePasscodeRequest: EnclaveSecretRequest where Reply == PasscodeReport {
    /// How many passcodes come with the request.
    static var passcodeCount: Int { get }
    /// Whether the request is a try of an existing passcode.
    static var isTry: Bool { get }
    /// Whether the request changes the keys that seal rows.
    static var changesKeys: Bool { get }

    /// Whose passcode it is.
    var origin: PasscodeOrigin { get }
}

extension EnclavePasscodeRequest {
    package static var passcodeCount: Int { 1 }
    package static var isTry: Bool { true }
    package static var changesKeys: Bool { false }
    package var passcodes: RequestPasscodes? { RequestPasscodes(Self.passcodeCount, from: origin) }
}

/// A request of which the kind, the store and the origin of a passcode say everything.
package protocol EnclaveOriginRequest: EnclaveStoreRequest {
    var origin: PasscodeOrigin { get }
    init(_ origin: PasscodeOrigin, in store: StoreIdentifier)
}

extension EnclaveOriginRequest {
    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, origin.program)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        let store: StoreIdentifier = try fields.read(EnclaveField.store)
        self.init(try fields.readOrigin(), in: store)
    }
}

/// A request with the password of a file keychain.
///
/// Passwords have limits of their own (``PasswordLimits/keychain``). A wrong one is an outcome in the reply and no
/// failure. `errSecInvalidKeychain` stands for a header that was changed or belongs to another keychain.
/// `errSecNotAvailable` stands for as many unlocked keychains as are allowed.
package protocol EnclaveKeychainRequest: EnclaveSecretRequest where Reply == KeychainReport {
    /// How many passwords come with the request.
    static var passcodeCount: Int { get }

    /// Whose password it is.
    var origin: PasscodeOrigin { get }
}

extension EnclaveKeychainRequest {
    package static var passcodeCount: Int { 1 }
    package var passcodes: RequestPasscodes? { RequestPasscodes(Self.passcodeCount, from: origin, at: .keychain) }
}

/// The places among which a request with passcodes counts while these are read and checked.
package enum PasscodePlace: Sendable {
    /// The agent has places that no program takes.
    case agent
    case program
    /// A password that a program gives a context, which is kept and not checked.
    case credential
    /// A password of a file keychain.
    case keychain
}

/// The passcodes that come with a request, each by a descriptor.
package struct RequestPasscodes: Sendable {
    package let count: Int
    package let origin: PasscodeOrigin
    package let place: PasscodePlace

    init(_ count: Int = 1, from origin: PasscodeOrigin, at place: PasscodePlace? = nil) {
        (self.count, self.origin) = (count, origin)
        self.place = place ?? (origin == .agent ? .agent : .program)
    }
}
