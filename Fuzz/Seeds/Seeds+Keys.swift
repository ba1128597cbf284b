import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import ServerIPC

/// Messages about private keys, between all programs that send such messages.
extension Seeds {
    private static let rowKey = SecretBytes([UInt8](repeating: 8, count: 32))
    private static let tasks: [(String, KeyTask)] = [
        ("sign", .sign(algorithm: "algid:sign:ECDSA:digest-X962:SHA256", [UInt8](repeating: 1, count: 32))),
        ("decrypt", .decrypt(algorithm: "algid:encrypt:RSA:OAEP:SHA1", [2, 2])),
        ("agree", .agree(algorithm: "algid:keyexchange:ECDH:KDFX963:SHA256", with: [4, 1, 2], size: 32, info: [7])),
        ("export", .export), ("wrap", .wrap(rowKey)), ("unwrap", .unwrap([UInt8](repeating: 4, count: 40))),
    ]

    private static let context = RowContext(
        store: StoreIdentifier(identifier.value), row: identifier, version: 300, itemClass: .key,
        accessibility: .afterFirstUnlock, isSynchronizable: false, isTombstone: false,
        groupDigest: Bytes16(repeating: 2), keyCustody: .useOnly)
    private static let sealedKey = SealedKey(
        rowKey: WrappedRowKey(classKeyID: 3, wrapped: [UInt8](repeating: 6, count: 60), context: context),
        sealed: [UInt8](repeating: 5, count: 80))
    private static let content = KeyContent(
        kind: .ec, bits: 256, publicBytes: [4, 1, 2], label: [UInt8](repeating: 9, count: KeyContent.labelBytes))

    private static var symmetricPair: NewKeyPair {
        var key = NewItem(itemClass: .key)
        key.attributes[.keyClass] = .number(KeyHalf.symmetric.rawValue)
        key.attributes[.type] = .number(KeyAttributes.aesType)
        key.attributes[.isExtractable] = .number(0)
        key.keepSymmetricKeyInside()
        return NewKeyPair(kind: .aes, bits: 256, privateKey: key)
    }

    static var keyRequests: [(String, any RequestMessage)] {
        let number = RequestIdentifier(identifier.value)
        var privateKey = NewItem(itemClass: .key)
        privateKey.keyKind = .rsa
        privateKey.attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        var publicKey = privateKey
        publicKey.attributes[.keyClass] = .number(KeyHalf.publicKey.rawValue)
        let pair = NewKeyPair(kind: .rsa, bits: 2048, privateKey: privateKey, publicKey: publicKey)
        return [
            ("key-make-symmetric", MakeKey(symmetricPair, identifier: number)),
            ("key-make", MakeKey(pair, identifier: number)), ("detached-key-make", MakeDetachedKey(privateKey)),
            ("detached-key-read", ReadDetachedKey([4, 1, 2])),
        ]
            + tasks.map { ("key-\($0)", UseKey(KeyUsage(identifier, $1))) }
            + tasks.map { ("detached-key-\($0)", UseDetachedKey(DetachedKeyUsage([4, 1, 2], $1))) }
            + [
                ("keychain-key-make", MakeKeychainKey(pair, in: "/k/a-db", identifier: number)),
                (
                    "keychain-key-use",
                    UseKeychainKey(
                        KeyUsage(identifier, .export), in: KeychainScope(paths: ["/k/a-db"], items: [keychainItem]))
                ),
            ]
    }

    static var keyMessages: [Seed] {
        let store = StoreIdentifier(identifier.value)
        let sources: [(String, KeySource)] = [
            ("generated", .generated(.rsa, bits: 2048)), ("brought", .brought(.ec, rowKey)), ("kept", .kept(sealedKey)),
            ("generated-symmetric", .generated(.aes, bits: 256)), ("brought-symmetric", .brought(.aes, rowKey)),
        ]
        var requests: [(String, any EnclaveRequest)] = sources.map {
            ("make-key-\($0)", MakeSealedKey($1, at: context, in: store))
        }
        requests += tasks.map { ("use-key-\($0)", UseSealedKey(sealedKey, $1, in: store)) }
        let made = MadeKey(
            classKeyID: 3, wrapped: [UInt8](repeating: 6, count: 60), sealed: [5, 5], constraints: nil, content: content
        )
        let replies: [(String, Result<any EnclaveReply, KeychainError>)] = [
            ("made-key", .success(made)), ("key-result", .success(UseSealedKey.Reply(rowKey))),
        ]
        return requests.map { name, request in
            seed(name, 2) { request.encode(id: 300, to: &$0) }
        }
            + replies.map { name, reply in seed(name, 3) { EnclaveAnswer(id: 300, reply).encode(to: &$0) } }
            + workerMessages + [item]
    }

    private static var workerMessages: [Seed] {
        let sources: [(String, KeyWorkerSource)] = [
            ("generated", .generated(.rsa, bits: 2048)), ("brought", .brought(.ec, rowKey)),
            ("kept", .kept(sealed: [5, 5], at: context, rowKey: rowKey)),
            ("generated-symmetric", .generated(.aes, bits: 256)), ("brought-symmetric", .brought(.aes, rowKey)),
        ]
        let requests =
            sources.map { ($0, KeyWorkerRequest.make($1, at: context, rowKey: rowKey)) }
            + tasks.map { ($0, KeyWorkerRequest.use($1, sealed: [5, 5], at: context, rowKey: rowKey)) }
        let replies: [(String, KeyWorkerReply)] = [
            ("made", .made(sealed: [5, 5], content)), ("result", .result(rowKey)),
            ("failure", .failure(KeychainError(.param, "no"))),
        ]
        return requests.map { name, request in seed("worker-\(name)", 33) { request.encode(to: &$0) } }
            + replies.map { name, reply in seed("worker-\(name)", 34) { reply.encode(to: &$0) } }
            + [seed("worker-order", 35) { ForkOrder(pid: 70000).encode(to: &$0) }]
    }

    private static var item: Seed {
        let key = KeyDescription(kind: .ec, custody: .enclave, publicBytes: [4, 1, 2])
        let found = FoundItem(
            identifier: identifier, itemClass: .key, accessibility: .whenUnlocked, isSynchronizable: false,
            attributes: nil, secret: nil, key: key)
        return seed("reply-key", 1) {
            ReplyHeader().encode(to: &$0)
            found.encode(to: &$0)
        }
    }
}
