import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

@testable import Enclave

/// Checks that a keybag is accepted only where writing it gives the bytes read, even in an authentic file.
enum KeybagTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let kind = intake.byte()
        let content = intake.rest()
        do throws(KeychainError) {
            switch kind {
            case 0: try check(SecretBytes(copying: content))
            case 1: try check(try authentic(content, version: 1))
            case 2: checkUIDKey(SecretBytes(copying: content))
            case 4: try check(try authentic(content, version: KeybagFile.versionWithoutDetachedKeys))
            case 7: try check(try authentic(content, version: KeybagFile.version))
            case 5: try checkTries(SecretBytes(copying: content))
            case 6: try checkTries(try authenticTries(content))
            default: checkUIDKey(authenticUIDKey(content))
            }
        } catch {
            let statuses: [Status] = [.internalComponent, .notAvailable]
            precondition(statuses.contains(error.status), "a status that is not documented: \(error.status)")
        }
    }

    /// The offset of the version: after the head of the map, the magic with its key and head, and the version's key.
    private static let versionPlace = 3 + "chatelaine keybag".utf8.count + 1
    private static let file = KeybagFile(path: "keybag", backend: FixedBackend())

    private static func check(_ content: SecretBytes) throws(KeychainError) {
        let keybag = try file.decode(content, for: FixedKeys.store)
        let encoded = try file.encode(keybag)
        if encoded != content {
            // A keybag of an earlier version is written in the present version.
            precondition(
                content.withUnsafeBytes {
                    $0.count > versionPlace && $0[versionPlace] < UInt8(KeybagFile.versionWithoutDetachedKeys)
                },
                "two encodings")
            let again = try file.decode(encoded, for: FixedKeys.store)
            precondition(again == keybag, "another keybag than was read")
        }
        for key in keybag.keys {
            precondition(keybag.key(key.id) == key, "a key that is not found by its id")
            if keybag.isProtected(key) {
                precondition(key.wrapped.count == ClassKeyWrapping.protectedByteCount, "wrapped once")
            }
            if key.kind == .metadataKey { precondition(keybag.key(key.parent)?.kind == .classKey, "no parent") }
        }
    }

    /// Makes a file that authenticates a body, as any holder of the UID key could.
    private static func authentic(_ body: UnsafeRawBufferPointer, version: UInt64) throws(KeychainError) -> SecretBytes
    {
        var writer = CBORWriter()
        writer.writeMap(count: 7)
        writer.write(UInt64(0)); writer.write("chatelaine keybag")
        writer.write(UInt64(1)); writer.write(version)
        writer.write(UInt64(2)); writer.write(FixedKeys.store.value)
        writer.write(UInt64(3)); writer.write(FixedKeys.keybag.value)
        writer.write(UInt64(4)); writer.write(try file.backend.mark())
        writer.write(UInt64(5)); writer.write(body)
        let digest = KeyedDigest(try file.backend.derive(.keybagAuthentication, for: FixedKeys.keybag.value))
        let code = writer.withUnsafeBytes { digest.digest($0) }
        writer.write(UInt64(6)); writer.write(code)
        return writer.finish()
    }

    private static let tries = TriesFile(keybag: FixedKeys.keybag, backend: FixedBackend())

    private static func checkTries(_ content: SecretBytes) throws(KeychainError) {
        guard let counts = try tries.decode(content) else { return }
        let encoded = try tries.encode(counts)
        precondition(encoded == content, "counts with two encodings")
        for origin in [PasscodeOrigin.agent, .program(Bytes16(repeating: 1))] {
            for now in [0, counts.agent.last, .max] {
                precondition(counts.delay(for: origin, now: now) <= 3_600_000, "a delay that nobody sees the end of")
            }
            var next = counts
            next.fail(origin, now: 1)
            precondition(
                next.failures(of: origin) > 0 && next.byProgram.count <= TryCounts.maximumPrograms, "not counted")
        }
    }

    /// Makes a file that authenticates the bytes after the keybag.
    private static func authenticTries(_ rest: UnsafeRawBufferPointer) throws(KeychainError) -> SecretBytes {
        var writer = CBORWriter()
        writer.writeMap(count: 9)
        writer.write(UInt64(0)); writer.write("chatelaine passcode tries")
        writer.write(UInt64(1)); writer.write(UInt64(1))
        writer.write(UInt64(2)); writer.write(FixedKeys.keybag.value)
        writer.appendEncoded(rest)
        let digest = KeyedDigest(try file.backend.derive(.triesAuthentication, for: FixedKeys.keybag.value))
        let code = writer.withUnsafeBytes { digest.digest($0) }
        writer.write(UInt64(8)); writer.write(code)
        return writer.finish()
    }

    private static func checkUIDKey(_ content: SecretBytes) {
        do throws(KeychainError) {
            let key = try UIDKeyFile.decode(content, path: "uid.key")
            precondition(UIDKeyFile.encode(key) == content, "a UID key with two encodings")
        } catch {
            precondition(error.status == .internalComponent || error.status == .notAvailable, "an unknown status")
        }
    }

    /// Makes a file with a correct beginning and the given rest.
    private static func authenticUIDKey(_ rest: UnsafeRawBufferPointer) -> SecretBytes {
        var writer = CBORWriter()
        writer.writeMap(count: 4)
        writer.write(UInt64(0)); writer.write("chatelaine uid key")
        writer.write(UInt64(1)); writer.appendEncoded(rest)
        return writer.finish()
    }
}
