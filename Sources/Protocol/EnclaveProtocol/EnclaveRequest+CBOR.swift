import ChatelaineModel
import Sealing

extension EnclaveRequest {
    /// The numbers of the kinds on the wire, which never change meaning. 2 to 5 and 9 belonged to kinds that named no
    /// store.
    enum Kind: UInt8, CBORValue {
        case openStore = 1
        case report = 6
        case openChannel = 7
        case sandbox = 8
        case metadataKeyForSealing = 10
        case metadataKey = 11
        case createRowKeys = 12
        case openRowKeys = 13
        case noteMark = 14
        case closeStore = 15
        case passcodeStatus = 16
        case setPasscode = 17
        case changePasscode = 18
        case removePasscode = 19
        case unlock = 20
        case lock = 21
        case newKeys = 22
        case destroyKeys = 23
        case verifyPasscode = 40
        case endorse = 41
        case checkEndorsement = 42
        case evaluate = 24
        case prove = 25
        case provePolicy = 26
        case setCredential = 27
        case endContext = 28
        case rewrapRowKeys = 29
        case biometryReport = 30
        case match = 31
        case matchPolicy = 32
        case evaluatePolicy = 33
        case allowReuse = 34
        case provePasscode = 35
        case createKeychain = 50
        case openKeychain = 51
        case unlockKeychain = 52
        case changeKeychainPassword = 53
        case verifyKeychainPassword = 54
        case verifyKeychainSecret = 55
        case makeKey = 60
        case useKey = 61
    }

    fileprivate enum Field: UInt64, CBORField {
        case kind = 0
        case id = 1
        case store = 2
        /// The subject of the request, by its kind: whether the store is empty, a protection class, the id of a key, or
        /// a batch; the program that gives a passcode, or the subject of constraints.
        case subject = 3
        /// The context and the operation.
        case use = 4
        /// The program that gives a passcode, where ``subject`` is something else.
        case program = 5
        /// The digest of records that widen access.
        case digest = 6
        /// The header of a file keychain.
        case header = 7
        /// The keybag whose passcode counts as the password.
        case keybag = 8
        /// The row of a private key.
        case context = 9
        /// The task for a private key.
        case task = 10
        /// Whether trust settings are among the records.
        case haveTrust = 11
        /// Whether a person has typed the program's password.
        case isTyped = 12
    }

    var kind: Kind {
        switch self {
        case .openStore: .openStore
        case .closeStore: .closeStore
        case .metadataKeyForSealing: .metadataKeyForSealing
        case .metadataKey: .metadataKey
        case .createRowKeys: .createRowKeys
        case .openRowKeys: .openRowKeys
        case .report: .report
        case .openChannel: .openChannel
        case .sandbox: .sandbox
        case .noteMark: .noteMark
        case .passcodeStatus: .passcodeStatus
        case .setPasscode: .setPasscode
        case .changePasscode: .changePasscode
        case .removePasscode: .removePasscode
        case .unlock: .unlock
        case .lock: .lock
        case .newKeys: .newKeys
        case .destroyKeys: .destroyKeys
        case .verifyPasscode: .verifyPasscode
        case .endorse: .endorse
        case .checkEndorsement: .checkEndorsement
        case .evaluate: .evaluate
        case .evaluatePolicy: .evaluatePolicy
        case .allowReuse: .allowReuse
        case .prove: .prove
        case .provePolicy: .provePolicy
        case .provePasscode: .provePasscode
        case .setCredential: .setCredential
        case .endContext: .endContext
        case .rewrapRowKeys: .rewrapRowKeys
        case .biometryReport: .biometryReport
        case .match: .match
        case .matchPolicy: .matchPolicy
        case .createKeychain: .createKeychain
        case .openKeychain: .openKeychain
        case .unlockKeychain: .unlockKeychain
        case .changeKeychainPassword: .changeKeychainPassword
        case .verifyKeychainPassword: .verifyKeychainPassword
        case .verifyKeychainSecret: .verifyKeychainSecret
        case .makeKey: .makeKey
        case .useKey: .useKey
        }
    }
}

extension EnclaveEnvelope where Payload == EnclaveRequest {
    private typealias Field = EnclaveRequest.Field

    /// Writes the request as one CBOR map.
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, payload.kind)
            $0.write(Field.id, id)
            $0.write(Field.store, payload.store)
            switch payload {
            case .openStore(_, let isEmpty): $0.write(Field.subject, isEmpty)
            case .metadataKeyForSealing(let accessibility, _): $0.write(Field.subject, accessibility)
            case .metadataKey(let id, _): $0.write(Field.subject, id)
            case .createRowKeys(let contexts, let use, _):
                $0.writeArray(Field.subject, contexts)
                $0.write(Field.use, use)
            case .openRowKeys(let keys, let use, _):
                $0.writeArray(Field.subject, keys)
                $0.write(Field.use, use)
            case .rewrapRowKeys(let keys, _): $0.writeArray(Field.subject, keys)
            case .makeKey(let source, let context, let use, _):
                $0.write(Field.subject, source)
                $0.write(Field.use, use)
                $0.write(Field.context, context)
            case .useKey(let key, let task, let use, _):
                $0.write(Field.subject, key)
                $0.write(Field.use, use)
                $0.write(Field.task, task)
            case .passcodeStatus(let origin, _), .changePasscode(let origin, _), .removePasscode(let origin, _),
                .unlock(let origin, _), .newKeys(let origin, _), .verifyPasscode(let origin, _):
                $0.write(Field.subject, origin.program)
            case .destroyKeys(let ids, _): $0.writeArray(Field.subject, ids)
            case .endorse(let digest, let origin, _):
                $0.write(Field.subject, origin.program)
                $0.write(Field.digest, digest)
            case .checkEndorsement(let endorsement, let digest, let haveTrust, _):
                $0.write(Field.subject, endorsement)
                $0.write(Field.digest, digest)
                $0.write(Field.haveTrust, haveTrust)
            case .evaluate(let question, _): $0.write(Field.subject, question)
            case .evaluatePolicy(let policy, let context, _):
                $0.write(Field.subject, policy)
                $0.write(Field.use, context)
            case .prove(let question, let origin, _):
                $0.write(Field.subject, question)
                $0.write(Field.program, origin.program)
            case .provePolicy(let policy, let context, let origin, _):
                $0.write(Field.subject, policy)
                $0.write(Field.use, context)
                $0.write(Field.program, origin.program)
            case .provePasscode(let context, let origin, _):
                $0.write(Field.use, context)
                $0.write(Field.program, origin.program)
            case .setCredential(let context, let isPresent, let isTyped, _):
                $0.write(Field.subject, isPresent)
                $0.write(Field.use, context)
                $0.write(Field.isTyped, isTyped)
            case .match(let question, _): $0.write(Field.subject, question)
            case .matchPolicy(let policy, let context, _):
                $0.write(Field.subject, policy)
                $0.write(Field.use, context)
            case .allowReuse(let context, let seconds, _):
                $0.write(Field.subject, seconds)
                $0.write(Field.use, context)
            case .endContext(let number): $0.write(Field.subject, number)
            case .unlockKeychain(let header, let origin, _), .changeKeychainPassword(let header, let origin, _),
                .verifyKeychainPassword(let header, let origin, _):
                $0.write(Field.subject, origin.program)
                $0.write(Field.header, header)
            case .verifyKeychainSecret(let header, let origin, let keybag, _):
                $0.write(Field.subject, origin.program)
                $0.write(Field.header, header)
                $0.write(Field.keybag, keybag)
            case .noteMark, .closeStore, .report, .openChannel, .sandbox, .setPasscode, .lock, .biometryReport,
                .createKeychain, .openKeychain:
                break
            }
        }
    }

    /// Reads exactly one message; anything else is refused.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(bytes))
        let kind: EnclaveRequest.Kind = try map.read(Field.kind)
        let id: UInt64 = try map.read(Field.id)
        let payload: EnclaveRequest
        switch kind {
        case .report: payload = .report
        case .openChannel: payload = .openChannel
        case .sandbox: payload = .sandbox
        case .endContext: payload = .endContext(try map.read(Field.subject))
        default: payload = try Self.request(of: kind, about: try map.read(Field.store), &map)
        }
        try map.end().finish()
        self.init(id: id, payload: payload)
    }

    private static func request(
        of kind: EnclaveRequest.Kind, about store: StoreIdentifier, _ map: inout CBORMap
    ) throws(CBORError) -> EnclaveRequest {
        switch kind {
        case .openStore: return .openStore(store, isEmpty: try map.read(Field.subject))
        case .closeStore: return .closeStore(store)
        case .metadataKeyForSealing: return .metadataKeyForSealing(try map.read(Field.subject), in: store)
        case .metadataKey: return .metadataKey(id: try map.read(Field.subject), in: store)
        case .createRowKeys:
            return .createRowKeys(
                try map.readArray(Field.subject, limit: EnclaveRequest.maximumBatch),
                for: try map.readIfPresent(Field.use), in: store)
        case .openRowKeys:
            return .openRowKeys(
                try map.readArray(Field.subject, limit: EnclaveRequest.maximumBatch),
                for: try map.readIfPresent(Field.use), in: store)
        case .rewrapRowKeys:
            return .rewrapRowKeys(try map.readArray(Field.subject, limit: EnclaveRequest.maximumBatch), in: store)
        case .makeKey:
            let source: KeySource = try map.read(Field.subject)
            let use: KeyUse? = try map.readIfPresent(Field.use)
            return .makeKey(source, at: try map.read(Field.context), for: use, in: store)
        case .useKey:
            let key: SealedKey = try map.read(Field.subject)
            let use: KeyUse? = try map.readIfPresent(Field.use)
            return .useKey(key, try map.read(Field.task), for: use, in: store)
        case .noteMark: return .noteMark(store)
        case .passcodeStatus: return .passcodeStatus(try readOrigin(&map), in: store)
        case .setPasscode: return .setPasscode(in: store)
        case .changePasscode: return .changePasscode(try readOrigin(&map), in: store)
        case .removePasscode: return .removePasscode(try readOrigin(&map), in: store)
        case .unlock: return .unlock(try readOrigin(&map), in: store)
        case .lock: return .lock(store)
        case .newKeys: return .newKeys(try readOrigin(&map), in: store)
        case .destroyKeys:
            return .destroyKeys(try map.readArray(Field.subject, limit: EnclaveWire.maximumKeys), in: store)
        case .verifyPasscode: return .verifyPasscode(try readOrigin(&map), in: store)
        case .endorse:
            let origin = try readOrigin(&map)
            return .endorse(try readDigest(&map), origin, in: store)
        case .checkEndorsement:
            let endorsement: Endorsement = try map.read(Field.subject)
            let digest = try readDigest(&map)
            return .checkEndorsement(endorsement, of: digest, haveTrust: try map.read(Field.haveTrust), in: store)
        case .evaluate: return .evaluate(try map.read(Field.subject), in: store)
        case .allowReuse:
            let seconds: UInt32 = try map.read(Field.subject)
            return .allowReuse(try map.read(Field.use), seconds: seconds, in: store)
        case .evaluatePolicy:
            let policy: AuthenticationPolicy = try map.read(Field.subject)
            return .evaluatePolicy(policy, try map.read(Field.use), in: store)
        case .prove: return .prove(try map.read(Field.subject), try readOrigin(&map, Field.program), in: store)
        case .provePolicy:
            return .provePolicy(
                try map.read(Field.subject), try map.read(Field.use), try readOrigin(&map, Field.program), in: store)
        case .provePasscode:
            return .provePasscode(try map.read(Field.use), try readOrigin(&map, Field.program), in: store)
        case .setCredential:
            let isPresent: Bool = try map.read(Field.subject)
            let context: ContextReference = try map.read(Field.use)
            return .setCredential(context, isPresent: isPresent, isTyped: try map.read(Field.isTyped), in: store)
        case .biometryReport: return .biometryReport(in: store)
        case .match: return .match(try map.read(Field.subject), in: store)
        case .matchPolicy:
            let policy: AuthenticationPolicy = try map.read(Field.subject)
            return .matchPolicy(policy, try map.read(Field.use), in: store)
        case .createKeychain: return .createKeychain(in: store)
        case .openKeychain: return .openKeychain(store)
        case .unlockKeychain:
            let origin = try readOrigin(&map)
            return .unlockKeychain(try map.read(Field.header), origin, in: store)
        case .changeKeychainPassword:
            let origin = try readOrigin(&map)
            return .changeKeychainPassword(try map.read(Field.header), origin, in: store)
        case .verifyKeychainPassword:
            let origin = try readOrigin(&map)
            return .verifyKeychainPassword(try map.read(Field.header), origin, in: store)
        case .verifyKeychainSecret:
            let origin = try readOrigin(&map)
            let header: KeychainHeader = try map.read(Field.header)
            return .verifyKeychainSecret(header, origin, orPasscodeOf: try map.read(Field.keybag), in: store)
        case .report, .openChannel, .sandbox, .endContext: throw .outOfRange
        }
    }

    private static func readDigest(_ map: inout CBORMap) throws(CBORError) -> [UInt8] {
        try map.find(Field.digest)
        return try map.reader.readArray(count: Endorsement.digestBytes)
    }

    private static func readOrigin(
        _ map: inout CBORMap, _ field: Field = .subject
    ) throws(CBORError) -> PasscodeOrigin {
        PasscodeOrigin(program: try map.readIfPresent(field))
    }
}
