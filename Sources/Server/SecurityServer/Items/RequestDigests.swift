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

    /// By what the key custodian tells programs apart whose passcodes it counts; the same for as long as the store is.
    func program(of caller: Principal) -> Bytes16 {
        var writer = CBORWriter(capacity: 256)
        // No name of a request has one value only.
        writer.writeArray(count: 1)
        writer.write(caller.encoded)
        return writer.withUnsafeBytes { names.shortDigest($0) }
    }

    /// What a program is told of what is enrolled: another thing than every other program is, so that they cannot compare it.
    func enrolment(_ set: Bytes16, of caller: Principal?) -> Bytes16 {
        var writer = CBORWriter(capacity: 256)
        // Neither names of requests nor of programs have three values.
        writer.writeArray(count: 3)
        writer.write("enrolment")
        writer.write(set.array)
        writer.write(caller?.encoded ?? [])
        return writer.withUnsafeBytes { names.shortDigest($0) }
    }

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
