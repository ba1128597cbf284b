import ChatelaineModel
import Sealing

/// A request of securityd to the key custodian.
///
/// Each request lists the statuses with which it can fail. Besides these, any request fails with
/// `errSecInternalComponent` (the custodian's state is damaged) and `errSecNotAvailable` (its disk or memory failed).
///
/// A request about a store names it, whatever the channel and earlier requests are. It fails with `errSecParam` where
/// that store is not open.
package enum EnclaveRequest: Sendable {
    /// Opens the keybag of a store; ``EnclaveReply/store(_:)``. The custodian makes a keybag only where `isEmpty` is
    /// true.
    ///
    /// `errSecNotAvailable` where the keybag of a store with rows is missing, or as many stores are open as are
    /// allowed.
    case openStore(StoreIdentifier, isEmpty: Bool)
    /// Closes a store's keybag and wipes its keys; ``EnclaveReply/done``, also where the store is not open.
    case closeStore(StoreIdentifier)
    /// Gets the metadata key that seals now; ``EnclaveReply/metadataKey(_:)``.
    ///
    /// `errSecInteractionNotAllowed` where the class is locked, `errSecAuthFailed` for the passcode class without a
    /// passcode.
    case metadataKeyForSealing(Accessibility, in: StoreIdentifier)
    /// Gets the metadata key with an id, to open rows; ``EnclaveReply/metadataKey(_:)``.
    ///
    /// Statuses as for ``metadataKeyForSealing(_:in:)``, and `errSecDecode` for an id that the keybag does not know,
    /// which is damage.
    case metadataKey(id: UInt32, in: StoreIdentifier)
    /// Makes row keys, wrapped for their rows; ``EnclaveReply/newRowKeys(_:)``.
    ///
    /// Statuses as for ``metadataKeyForSealing(_:in:)``. The constraints of a row have to allow encryption, and it must
    /// be possible to satisfy them; otherwise `errSecAuthFailed`.
    case createRowKeys([RowContext], for: KeyUse? = nil, in: StoreIdentifier)
    /// Unwraps row keys; ``EnclaveReply/rowKeys(_:)``, in which each key has a result of its own.
    ///
    /// The constraints of a row have to be satisfied for decryption. The cause `needsPerson` says that they are not
    /// satisfied yet. `errSecAuthFailed` says that they cannot be, or that the program's password is wrong.
    case openRowKeys([WrappedRowKey], for: KeyUse? = nil, in: StoreIdentifier)
    /// Wraps row keys for the same rows with the class keys that seal now; ``EnclaveReply/rewrappedRowKeys(_:)``.
    ///
    /// No key leaves the custodian, and its binding stays as it is. So no person has to be present.
    case rewrapRowKeys([WrappedRowKey], in: StoreIdentifier)
    /// Makes a private or symmetric key for a row, or takes one over, under a row key that securityd never sees;
    /// ``EnclaveReply/madeKey(_:)``.
    ///
    /// For a key that the row has already, the same constraints have to be satisfied as for a calculation with it.
    /// Statuses as for ``createRowKeys(_:for:in:)``. `errSecParam` for what is no such key, and where the row's place
    /// does not allow a use of a private key. `errSecNotAvailable` where the worker ended or took too long.
    case makeKey(KeySource, at: RowContext, for: KeyUse? = nil, in: StoreIdentifier)
    /// Uses a private or symmetric key of a row, whose constraints have to be satisfied for the task;
    /// ``EnclaveReply/keyResult(_:)``.
    ///
    /// `errSecUnimplemented` for the bytes of a key that is not exportable; other statuses as for
    /// ``makeKey(_:at:for:in:)``.
    case useKey(SealedKey, KeyTask, for: KeyUse? = nil, in: StoreIdentifier)
    /// Gets the custodian's report about itself; ``EnclaveReply/report(_:)``.
    case report
    /// Makes the descriptor that comes with this message a further channel; ``EnclaveReply/done``.
    case openChannel
    /// Gets the measures of the custodian's sandbox; ``EnclaveReply/sandbox(_:)``.
    case sandbox
    /// Records that the store has a mark and a sealed head record from now on, so that their absence is noticed.
    ///
    /// ``EnclaveReply/done``, once the keybag with that record is on disk.
    case noteMark(StoreIdentifier)

    // MARK: The passcode

    // A passcode comes by a pipe, whose reading end comes with the request, and in no message: securityd passes it on
    // unread. The custodian takes the bytes as they are.
    //
    // The reply to a request with a passcode is ``EnclaveReply/passcode(_:)``, in which a wrong passcode is an outcome
    // and not a failure. All of these requests fail with `errSecParam` for a passcode of no accepted length, or one
    // that does not come in time. They fail with `errSecAllocate` where there is no memory to check it; the attempt
    // then does not count.

    /// Gets the failures and the delay of the origin; ``EnclaveReply/passcode(_:)``.
    case passcodeStatus(PasscodeOrigin, in: StoreIdentifier)
    /// Sets the first passcode. The classes that it protects get new keys, and their former keys are superseded.
    ///
    /// `errSecParam` where there is a passcode.
    case setPasscode(in: StoreIdentifier)
    /// Changes the passcode; the old and the new one come by a pipe each. The keys stay.
    ///
    /// `errSecParam` where there is no passcode, as for all requests that follow.
    case changePasscode(PasscodeOrigin, in: StoreIdentifier)
    /// Removes the passcode, and destroys the keys of the passcode class together with the items that they protect.
    case removePasscode(PasscodeOrigin, in: StoreIdentifier)
    /// Opens the keys of all classes. `errSecInteractionNotAllowed` where the store was locked meanwhile.
    case unlock(PasscodeOrigin, in: StoreIdentifier)
    /// Wipes the keys of all classes that are not open while locked; ``EnclaveReply/done``, also without a passcode.
    case lock(StoreIdentifier)
    /// Makes new keys under the same passcode, and supersedes the former ones.
    case newKeys(PasscodeOrigin, in: StoreIdentifier)
    /// Destroys keys that no longer seal, with what is left under them; ``EnclaveReply/done``, also for keys that are
    /// destroyed already.
    ///
    /// `errSecParam` for a key that still seals, or that wraps a key that stays.
    case destroyKeys([UInt32], in: StoreIdentifier)

    /// Checks whether a passcode is right, and does nothing else.
    case verifyPasscode(PasscodeOrigin, in: StoreIdentifier)
    /// Signs records that widen access, by their SHA-256; ``PasscodeReport/endorsement``.
    ///
    /// The former signature counts until the new one is checked by ``checkEndorsement(_:of:haveTrust:in:)``.
    /// `errSecInteractionNotAllowed` while the store is locked.
    case endorse([UInt8], PasscodeOrigin, in: StoreIdentifier)
    /// Checks whether records are those that were signed last; ``EnclaveReply/isEndorsed(_:)``. Older signatures do not
    /// count afterwards.
    ///
    /// `haveTrust` says whether trust settings are among the records. From then on ``PasscodeReport/hasSignedTrust``
    /// reports that, whatever records securityd has.
    case checkEndorsement(Endorsement, of: [UInt8], haveTrust: Bool, in: StoreIdentifier)

    // MARK: Authentication contexts

    // Contexts belong to a store, and are forgotten when it is locked or closed.

    /// Evaluates whether a row with these constraints could be used; ``EnclaveReply/evaluation(_:)``. It opens nothing.
    case evaluate(AccessQuestion, in: StoreIdentifier)
    /// Checks the passcode for one question, by a pipe; the context records a right one.
    case prove(AccessQuestion, PasscodeOrigin, in: StoreIdentifier)
    /// Evaluates whether a policy is satisfied; ``EnclaveReply/evaluation(_:)``. It opens nothing.
    case evaluatePolicy(AuthenticationPolicy, ContextReference, in: StoreIdentifier)
    /// Checks the passcode for a policy, which counts for every item of the principal. `errSecParam` for a policy that
    /// a passcode does not satisfy.
    case provePolicy(AuthenticationPolicy, ContextReference, PasscodeOrigin, in: StoreIdentifier)
    /// Checks the passcode for everything that a passcode satisfies, for every item of the principal: for one request
    /// that concerns all of them.
    case provePasscode(ContextReference, PasscodeOrigin, in: StoreIdentifier)
    /// Gets the state of biometrics from securityd-match; ``EnclaveReply/biometry(_:)``.
    case biometryReport(in: StoreIdentifier)
    /// Waits for a biometric for one question; ``EnclaveReply/match(_:)`` with the outcome. The context records a
    /// match.
    ///
    /// The request comes on a channel of its own, whose end withdraws it. `errSecAuthFailed` without a passcode,
    /// `errSecInteractionNotAllowed` where the store was locked meanwhile, `errSecNotAvailable` where as many requests
    /// wait as are allowed.
    case match(AccessQuestion, in: StoreIdentifier)
    /// Waits for a biometric for a policy, which counts for every item of the principal.
    case matchPolicy(AuthenticationPolicy, ContextReference, in: StoreIdentifier)
    /// Sets the program's password for a context, by a pipe, or removes it; ``EnclaveReply/done``.
    ///
    /// One that a person has typed is forgotten where it opens no item, so that the person is asked again.
    case setCredential(ContextReference, isPresent: Bool, isTyped: Bool = false, in: StoreIdentifier)
    /// Sets for how many seconds a biometric match in another context of the same principal counts in this one;
    /// ``EnclaveReply/done``.
    ///
    /// 300 seconds at the most; 0 for none.
    case allowReuse(ContextReference, seconds: UInt32, in: StoreIdentifier)
    /// Forgets all contexts with a number, in every store; ``EnclaveReply/done``, also where there is none.
    case endContext(UInt64)

    // MARK: File keychains

    // A file keychain has no keybag: its password and the header in its file open it, and the custodian keeps nothing
    // of it on disk. The custodian has its keys from ``createKeychain(in:)`` or ``unlockKeychain(_:_:in:)`` until
    // ``closeStore(_:)``, which locks it. Meanwhile requests about rows and metadata keys work as for any store.
    // Constraints are refused (`errSecParam`), and so are the requests above about passcodes, contexts and signatures.
    //
    // Passwords come as passcodes do, with limits of their own (``PasswordLimits/keychain``). The reply to a request
    // with a password is ``EnclaveReply/keychain(_:)``, in which a wrong password is an outcome and not a failure.
    // `errSecInvalidKeychain` stands for a header that was changed or belongs to another keychain. `errSecNotAvailable`
    // stands for as many unlocked keychains as are allowed.

    /// Makes a new master key under a password, and leaves the keychain unlocked; ``KeychainReport/header``.
    /// `errSecParam` where the store is open.
    case createKeychain(in: StoreIdentifier)
    /// Gets the keys of an unlocked file keychain; ``EnclaveReply/store(_:)``. The cause is `locked` where the keychain
    /// is locked.
    case openKeychain(StoreIdentifier)
    /// Opens the keychain's keys; also done where it is unlocked already. `errSecInteractionNotAllowed` where it was
    /// locked meanwhile.
    case unlockKeychain(KeychainHeader, PasscodeOrigin, in: StoreIdentifier)
    /// Changes the password and keeps the keys; ``KeychainReport/header``. The keychain is unlocked afterwards.
    ///
    /// The old and the new password come by a descriptor each. Any copy of the old header still opens with the old
    /// password.
    case changeKeychainPassword(KeychainHeader, PasscodeOrigin, in: StoreIdentifier)
    /// Checks whether a password is right, and does nothing else.
    case verifyKeychainPassword(KeychainHeader, PasscodeOrigin, in: StoreIdentifier)
    /// Checks whether a secret is the keychain's password or the passcode of a keybag.
    ///
    /// A secret that is neither counts as one wrong attempt at each. A secret that is one of them counts as no attempt
    /// at the other.
    case verifyKeychainSecret(
        KeychainHeader, PasscodeOrigin, orPasscodeOf: StoreIdentifier, in: StoreIdentifier)

    /// The places among which a request with passcodes counts.
    package enum PasscodePlace: Sendable {
        /// The agent has places that no program takes.
        case agent
        case program
        /// A password that a program gives a context, which is kept and not checked.
        case credential
        /// A password of a file keychain.
        case keychain

        fileprivate init(of origin: PasscodeOrigin) { self = origin == .agent ? .agent : .program }
    }

    /// The passcodes that come with a request, each by a descriptor.
    package struct Passcodes: Sendable {
        package let count: Int
        package let origin: PasscodeOrigin
        /// The places among which the request counts while its passcodes are read and checked.
        package let place: PasscodePlace

        fileprivate init(_ count: Int = 1, from origin: PasscodeOrigin, at place: PasscodePlace? = nil) {
            (self.count, self.origin, self.place) = (count, origin, place ?? PasscodePlace(of: origin))
        }
    }

    /// The passcodes that come with the request; nil for none.
    ///
    /// Every request is named here, so that a new one cannot bring a passcode that nobody reads.
    package var passcodes: Passcodes? {
        switch self {
        case .changePasscode(let origin, _): Passcodes(2, from: origin)
        case .removePasscode(let origin, _), .unlock(let origin, _), .newKeys(let origin, _),
            .verifyPasscode(let origin, _), .endorse(_, let origin, _), .prove(_, let origin, _),
            .provePolicy(_, _, let origin, _), .provePasscode(_, let origin, _):
            Passcodes(from: origin)
        // A program brings the first passcode, and may be slow to.
        case .setPasscode: Passcodes(from: .agent, at: .program)
        case .setCredential(let context, let isPresent, _, _):
            isPresent ? Passcodes(from: .program(context.principal), at: .credential) : nil
        case .createKeychain: Passcodes(from: .agent, at: .keychain)
        case .changeKeychainPassword(_, let origin, _): Passcodes(2, from: origin, at: .keychain)
        case .unlockKeychain(_, let origin, _), .verifyKeychainPassword(_, let origin, _),
            .verifyKeychainSecret(_, let origin, _, _):
            Passcodes(from: origin, at: .keychain)
        case .openStore, .closeStore, .metadataKeyForSealing, .metadataKey, .createRowKeys, .openRowKeys,
            .rewrapRowKeys, .makeKey, .useKey, .report, .openChannel, .sandbox, .noteMark, .passcodeStatus, .lock,
            .destroyKeys, .checkEndorsement, .evaluate, .evaluatePolicy, .biometryReport, .match, .matchPolicy,
            .allowReuse, .endContext, .openKeychain:
            nil
        }
    }

    /// How many passcodes come with the request; a program's password counts as one.
    package var passcodeCount: Int { passcodes?.count ?? 0 }

    /// Whether the reply waits for a person's action, and the end of the channel withdraws the request.
    package var waitsForBiometric: Bool {
        switch self {
        case .match, .matchPolicy: true
        default: false
        }
    }

    /// Whether the request takes keys away.
    package var locks: Bool {
        switch self {
        case .lock, .closeStore: true
        default: false
        }
    }

    /// The store that the request names; nil for the custodian as a whole.
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
            .setCredential(_, _, _, let store), .allowReuse(_, _, let store), .createKeychain(let store),
            .openKeychain(let store), .unlockKeychain(_, _, let store), .changeKeychainPassword(_, _, let store),
            .verifyKeychainPassword(_, _, let store), .verifyKeychainSecret(_, _, _, let store):
            store
        case .report, .openChannel, .sandbox, .endContext: nil
        }
    }

    /// The most row keys in one request: a batch of a listing, and 4 MiB of arena at the most.
    package static let maximumBatch = 256
}
