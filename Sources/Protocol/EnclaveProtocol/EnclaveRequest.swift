import ChatelaineModel
import Sealing

/// What securityd asks of the key custodian. Each request lists the statuses it can fail with besides
/// `errSecInternalComponent` (the custodian's state is damaged) and `errSecNotAvailable` (its disk or memory failed).
///
/// A request about a store names it, and is `errSecParam` where that store is not open: which one is meant depends neither
/// on the channel nor on what was asked before.
package enum EnclaveRequest: Sendable {
    /// Opens the keybag of a store; ``EnclaveReply/store(_:)``. A keybag is made only where `isEmpty` is true.
    ///
    /// `errSecNotAvailable` when the keybag of a store with rows is missing, or as many stores are open as may be.
    case openStore(StoreIdentifier, isEmpty: Bool)
    /// Lets go of a store's keybag and wipes its keys; ``EnclaveReply/done``, also where it is not open.
    case closeStore(StoreIdentifier)
    /// The metadata key with which to seal now; ``EnclaveReply/metadataKey(_:)``.
    ///
    /// `errSecInteractionNotAllowed` when the class is locked, `errSecAuthFailed` for the passcode class without a
    /// passcode.
    case metadataKeyForSealing(Accessibility, in: StoreIdentifier)
    /// The metadata key of an id, to open with; ``EnclaveReply/metadataKey(_:)``.
    ///
    /// As above, and `errSecDecode` for an id that the keybag does not know, which is damage.
    case metadataKey(id: UInt32, in: StoreIdentifier)
    /// Fresh row keys, wrapped for their rows; ``EnclaveReply/newRowKeys(_:)``. Statuses as for sealing.
    ///
    /// For rows with constraints these have to allow to encrypt, and have to be such that they can be satisfied; `errSecAuthFailed`
    /// where they are not.
    case createRowKeys([RowContext], for: KeyUse? = nil, in: StoreIdentifier)
    /// Unwraps row keys; ``EnclaveReply/rowKeys(_:)``, in which each key has a result of its own.
    ///
    /// The key of a row with constraints comes where these are satisfied for decrypting. The cause `needsPerson` says that they are not yet,
    /// `errSecAuthFailed` that they cannot be, or that the program's password is another one.
    case openRowKeys([WrappedRowKey], for: KeyUse? = nil, in: StoreIdentifier)
    /// Wraps row keys for the same rows with the class keys that seal now; ``EnclaveReply/rewrappedRowKeys(_:)``.
    ///
    /// None leaves the custodian, and what they are bound to stays as it is. So nobody has to be there.
    case rewrapRowKeys([WrappedRowKey], in: StoreIdentifier)
    /// A private key for a row, from wherever it comes, with a row key that securityd never sees; ``EnclaveReply/madeKey(_:)``.
    ///
    /// One that the row has already takes what calculating with it takes. Statuses as for ``createRowKeys(_:for:in:)``; `errSecParam` for what is
    /// no such key, and where the place says no use of a private key; `errSecNotAvailable` where whoever calculates ended or took too long.
    case makeKey(KeySource, at: RowContext, for: KeyUse? = nil, in: StoreIdentifier)
    /// Does something with a private key of a row; ``EnclaveReply/keyResult(_:)``. Its constraints have to be satisfied for that.
    ///
    /// `errSecUnimplemented` for the bytes of a key that is not exportable; else as ``makeKey(_:at:for:in:)``.
    case useKey(SealedKey, KeyTask, for: KeyUse? = nil, in: StoreIdentifier)
    /// ``EnclaveReply/report(_:)``.
    case report
    /// The descriptor that comes with this message becomes one more channel; ``EnclaveReply/done``.
    case openChannel
    /// ``EnclaveReply/sandbox(_:)``.
    case sandbox
    /// The store has a mark and a sealed head record from now on, so that they are missed where they are not there;
    /// ``EnclaveReply/done``, once the keybag says so on disk.
    case noteMark(StoreIdentifier)

    // MARK: The passcode

    // A passcode comes by a pipe, whose end comes with the request, and in no message: securityd passes on what it never reads. Its bytes
    // are taken as they are. A request that has one is answered by ``EnclaveReply/passcode(_:)``, in which a wrong passcode is
    // an outcome and no failure. All of them fail with `errSecParam` for a passcode of no accepted length or one that does not come in
    // time, and with `errSecAllocate` where there is no memory to look at it; the try then does not count.

    /// ``EnclaveReply/passcode(_:)`` with the failures and the delay of the one that asks.
    case passcodeStatus(PasscodeOrigin, in: StoreIdentifier)
    /// The first passcode, by a pipe. Classes that it protects get new keys; those that they had are superseded.
    ///
    /// `errSecParam` where there is one.
    case setPasscode(in: StoreIdentifier)
    /// Another passcode: the old and the new one by a pipe each. The keys stay.
    ///
    /// `errSecParam` where there is none, as for all that follow.
    case changePasscode(PasscodeOrigin, in: StoreIdentifier)
    /// No passcode any more. The keys of the passcode class are destroyed, and what they protect with them.
    case removePasscode(PasscodeOrigin, in: StoreIdentifier)
    /// Opens the keys of all classes. `errSecInteractionNotAllowed` where it was locked meanwhile.
    case unlock(PasscodeOrigin, in: StoreIdentifier)
    /// Wipes the keys of all classes that are not open while locked; ``EnclaveReply/done``, also without a passcode.
    case lock(StoreIdentifier)
    /// New keys under the same passcode; those that there were are superseded.
    case newKeys(PasscodeOrigin, in: StoreIdentifier)
    /// Destroys keys that seal no more, and what is left under them; ``EnclaveReply/done``, also for those that were destroyed already.
    ///
    /// `errSecParam` for a key that still seals, or wraps one that is to stay.
    case destroyKeys([UInt32], in: StoreIdentifier)

    /// Looks whether a passcode is the right one, and does nothing else.
    case verifyPasscode(PasscodeOrigin, in: StoreIdentifier)
    /// Signs records that widen access, by their SHA-256; ``PasscodeReport/endorsement``. What there was before counts until this one is looked at.
    ///
    /// `errSecInteractionNotAllowed` while it is locked.
    case endorse([UInt8], PasscodeOrigin, in: StoreIdentifier)
    /// Looks whether records are those that were signed last, after which older ones are worthless; ``EnclaveReply/isEndorsed(_:)``.
    ///
    /// It says besides whether there are settings of trust among them, which ``PasscodeReport/hasSignedTrust`` then says of whatever records there are.
    case checkEndorsement(Endorsement, of: [UInt8], haveTrust: Bool, in: StoreIdentifier)

    // MARK: Authentication contexts

    // They are a store's, and are forgotten when it is locked or closed.

    /// Whether a row with these constraints could be used; ``EnclaveReply/evaluation(_:)``. It opens nothing.
    case evaluate(AccessQuestion, in: StoreIdentifier)
    /// The passcode for one question, by a pipe: where it is right, the context knows of it.
    case prove(AccessQuestion, PasscodeOrigin, in: StoreIdentifier)
    /// Whether a policy is satisfied; ``EnclaveReply/evaluation(_:)``. It opens nothing.
    case evaluatePolicy(AuthenticationPolicy, ContextReference, in: StoreIdentifier)
    /// The passcode for a policy, which stands for every item of the principal's. `errSecParam` for one that it does not satisfy.
    case provePolicy(AuthenticationPolicy, ContextReference, PasscodeOrigin, in: StoreIdentifier)
    /// The passcode for whatever a passcode satisfies, of every item of the principal's: for who asks for one thing that is about all of them.
    case provePasscode(ContextReference, PasscodeOrigin, in: StoreIdentifier)
    /// How it stands with biometrics; ``EnclaveReply/biometry(_:)``. Whoever knows is asked for it.
    case biometryReport(in: StoreIdentifier)
    /// A biometric for one question: where it matches, the context knows of it; ``EnclaveReply/match(_:)`` when something came of one.
    ///
    /// It comes on a channel of its own, whose end withdraws it. `errSecAuthFailed` without a passcode, `errSecInteractionNotAllowed` where it was
    /// locked meanwhile, `errSecNotAvailable` where as many wait as may.
    case match(AccessQuestion, in: StoreIdentifier)
    /// A biometric for a policy, which stands for every item of the principal's.
    case matchPolicy(AuthenticationPolicy, ContextReference, in: StoreIdentifier)
    /// A password of the program's, by a pipe; or none, to forget it. ``EnclaveReply/done``.
    case setCredential(ContextReference, isPresent: Bool, in: StoreIdentifier)
    /// Has a biometric that matched in another context of the same principal count in this one, for so many seconds, 300 at the most; 0 for
    /// none. ``EnclaveReply/done``.
    case allowReuse(ContextReference, seconds: UInt32, in: StoreIdentifier)
    /// Forgets all contexts of a number, in every store; ``EnclaveReply/done``, also where there is none.
    case endContext(UInt64)

    // MARK: File keychains

    // A file keychain has no keybag: its password and the header in its file open it, and the custodian has nothing of it on disk. Its keys are there
    // from ``createKeychain(in:)`` or ``unlockKeychain(_:_:in:)`` until ``closeStore(_:)``, which locks it. Meanwhile requests about rows and metadata keys
    // are as for any store. Constraints are refused, and so are the requests above about passcodes, contexts and signatures (`errSecParam`).
    //
    // Passwords come as passcodes do, with limits of their own (``PasswordLimits/keychain``). Each such request is answered by
    // ``EnclaveReply/keychain(_:)``, in which a wrong password is an outcome and no failure. `errSecInvalidKeychain` stands for a header that was
    // changed or is another keychain's, `errSecNotAvailable` for as many unlocked keychains as may be.

    /// A new master key under a password; ``KeychainReport/header``. It is unlocked then. `errSecParam` where that store is open.
    case createKeychain(in: StoreIdentifier)
    /// The keys of an unlocked file keychain; ``EnclaveReply/store(_:)``. The cause `locked` where it is not unlocked.
    case openKeychain(StoreIdentifier)
    /// Opens its keys; done as well where it is unlocked already. `errSecInteractionNotAllowed` where it was locked meanwhile.
    case unlockKeychain(KeychainHeader, PasscodeOrigin, in: StoreIdentifier)
    /// Another password, the old and the new one by a descriptor each, for the same keys; ``KeychainReport/header``. It is unlocked then.
    ///
    /// The old header still opens with the old password, wherever there is a copy of it.
    case changeKeychainPassword(KeychainHeader, PasscodeOrigin, in: StoreIdentifier)
    /// Looks whether a password is the right one, and does nothing else.
    case verifyKeychainPassword(KeychainHeader, PasscodeOrigin, in: StoreIdentifier)
    /// The same, or whether it is the passcode of a keybag. One that is neither is counted as a wrong one of both, and once of each; one that is
    /// either is counted as no wrong one of the other.
    case verifyKeychainSecret(
        KeychainHeader, PasscodeOrigin, orPasscodeOf: StoreIdentifier, in: StoreIdentifier)

    /// How many passcodes come with it, each by a pipe; a password of the program's is one as well.
    package var passcodeCount: Int {
        switch self {
        case .changePasscode, .changeKeychainPassword: 2
        case .setPasscode, .removePasscode, .unlock, .newKeys, .verifyPasscode, .endorse, .prove, .provePolicy,
            .provePasscode, .createKeychain, .unlockKeychain, .verifyKeychainPassword, .verifyKeychainSecret:
            1
        case .setCredential(_, let isPresent, _): isPresent ? 1 : 0
        default: 0
        }
    }

    /// Who a request that has a passcode comes from; nil for any other.
    package var passcodeOrigin: PasscodeOrigin? {
        switch self {
        case .changePasscode(let origin, _), .removePasscode(let origin, _), .unlock(let origin, _),
            .newKeys(let origin, _), .verifyPasscode(let origin, _), .endorse(_, let origin, _),
            .prove(_, let origin, _), .provePolicy(_, _, let origin, _), .provePasscode(_, let origin, _),
            .unlockKeychain(_, let origin, _), .changeKeychainPassword(_, let origin, _),
            .verifyKeychainPassword(_, let origin, _), .verifyKeychainSecret(_, let origin, _, _):
            origin
        case .setCredential(let context, _, _): .program(context.principal)
        case .setPasscode, .createKeychain: .agent
        default: nil
        }
    }

    /// Whether what comes with it is a password of a file keychain.
    package var bringsKeychainPassword: Bool {
        switch self {
        case .createKeychain, .unlockKeychain, .changeKeychainPassword, .verifyKeychainPassword,
            .verifyKeychainSecret:
            true
        default: false
        }
    }

    /// Whether it is answered when somebody has done something, and withdrawn by the end of its channel.
    package var waitsForBiometric: Bool {
        switch self {
        case .match, .matchPolicy: true
        default: false
        }
    }

    /// The store that is asked about; nil for the custodian as a whole.
    package var store: StoreIdentifier? {
        switch self {
        case .openStore(let store, _), .closeStore(let store), .metadataKeyForSealing(_, let store),
            .metadataKey(_, let store), .createRowKeys(_, _, let store), .openRowKeys(_, _, let store),
            .rewrapRowKeys(_, let store), .makeKey(_, _, _, let store), .useKey(_, _, _, let store),
            .noteMark(let store),
            .passcodeStatus(_, let store), .setPasscode(let store), .changePasscode(_, let store),
            .removePasscode(_, let store), .unlock(_, let store), .lock(let store), .newKeys(_, let store),
            .destroyKeys(_, let store), .verifyPasscode(_, let store), .endorse(_, _, let store),
            .checkEndorsement(_, _, _, let store),
            .evaluate(_, let store), .evaluatePolicy(_, _, let store), .prove(_, _, let store),
            .provePolicy(_, _, _, let store), .provePasscode(_, _, let store), .biometryReport(let store),
            .match(_, let store),
            .matchPolicy(_, _, let store),
            .setCredential(_, _, let store), .allowReuse(_, _, let store), .createKeychain(let store),
            .openKeychain(let store), .unlockKeychain(_, _, let store), .changeKeychainPassword(_, _, let store),
            .verifyKeychainPassword(_, _, let store), .verifyKeychainSecret(_, _, _, let store):
            store
        case .report, .openChannel, .sandbox, .endContext: nil
        }
    }

    /// Row keys in one request: a batch of a listing, and 4 MiB of arena at the most.
    package static let maximumBatch = 256
}
