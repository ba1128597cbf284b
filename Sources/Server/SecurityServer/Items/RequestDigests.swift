import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

/// Digests of callers and requests, under keys of the store: a plain hash of a request would give its secret to whoever
/// guesses it, and a plain name its caller.
struct RequestDigests: Sendable {
    private let names: KeyedDigest
    private let contents: KeyedDigest
    /// Names callers as format 2 of the store did.
    private let former: KeyedDigest

    init(_ keys: StoreKeys) {
        names = KeyedDigest(keys[.requestNames])
        contents = KeyedDigest(keys[.requestContents])
        former = KeyedDigest(keys[.record])
    }

    /// The digest of what a request says.
    func contents(of frame: UnsafeRawBufferPointer) -> [UInt8] { contents.digest(frame) }

    /// What the store remembers of a request: under which number `caller` asks for what has that digest.
    func request(
        of caller: Principal, _ identifier: RequestIdentifier, digest: [UInt8]
    ) throws(KeychainError) -> ChangeRequest {
        var writer = CBORWriter(capacity: 256)
        writer.writeArray(count: 2)
        writer.write(caller.encoded)
        writer.write(identifier.bytes)
        var name = caller.application.text
        let formerCaller = name.withUTF8 { former.shortDigest(UnsafeRawBufferPointer($0)) }
        return try ChangeRequest(
            name: writer.withUnsafeBytes { names.digest($0) }, formerName: formerCaller.array + identifier.bytes,
            digest: digest)
    }
}
