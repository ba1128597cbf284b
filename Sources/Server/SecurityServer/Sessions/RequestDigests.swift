import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

/// Digests of callers and requests, under keys of the store.
///
/// With a plain hash, the secret of a request or the name of its caller could be found by guessing.
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

    /// The number by which the key custodian counts the passcode tries of a program.
    ///
    /// It stays the same for the lifetime of the store.
    func program(of caller: Principal) -> Bytes16 {
        var writer = CBORWriter(capacity: 256)
        // The name of a request has two values, so that the two never collide.
        writer.writeArray(count: 1)
        writer.write(caller.encoded)
        return writer.withUnsafeBytes { names.shortDigest($0) }
    }

    /// What a program hears about the enrolled biometrics.
    ///
    /// The value differs between programs, so that they cannot compare it.
    func enrolment(_ set: Bytes16, of caller: Principal?) -> Bytes16 {
        var writer = CBORWriter(capacity: 256)
        // Names of requests and of programs have fewer than three values.
        writer.writeArray(count: 3)
        writer.write("enrolment")
        writer.write(set.array)
        writer.write(caller?.encoded ?? [])
        return writer.withUnsafeBytes { names.shortDigest($0) }
    }

    /// What the store remembers of a request: `caller`, the number of the request, and its digest.
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
