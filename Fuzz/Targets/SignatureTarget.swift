import ChatelaineModel
import SignatureFormat

/// Reads untrusted signatures up to their certificates: strict JSON, headers, claims, profiles, names.
enum SignatureTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let kind = intake.byte()
        let rest = [UInt8](intake.rest())
        switch kind {
        case 0: checkSignature(rest)
        case 1: checkJSON(rest)
        // Header and payload without base64, which the fuzzer then need not guess.
        case 2: checkSignature(assembled(rest))
        case 3: checkBase64(rest)
        default: checkSignature([UInt8](bytes))
        }
    }

    private static let standardHeader = Array("{\"alg\":\"ES256\",\"typ\":\"codesig+jws\",\"x5c\":[\"AAAA\"]}".utf8)

    /// Assembles a signature of a payload, or of a header and a payload with a byte 0 between them.
    private static func assembled(_ bytes: [UInt8]) -> [UInt8] {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
        let header = parts.count == 2 ? parts[0] : standardHeader
        return Array(
            [Base64.url.encode(header), Base64.url.encode(parts[parts.count - 1]), Base64.url.encode([1])]
                .joined(separator: [UInt8(ascii: ".")]))
    }

    private static func checkSignature(_ bytes: [UInt8]) {
        do throws(SignatureFlaw) {
            let jws = try CompactJWS(bytes, as: .signature)
            precondition(1...SignatureLimits.maximumCertificates ~= jws.certificates.count, "too many certificates")
            let payload = try SignaturePayload(jws)
            precondition(payload.team.isPrefix(of: payload.identifier), "an identifier of somebody else's")
            precondition(payload.keychainGroups.allSatisfy { payload.team.isPrefix(of: $0) }, "somebody else's group")
            let names = [payload.identifier] + payload.keychainGroups + payload.applicationGroups
            precondition(names.count <= 2 * SignatureLimits.maximumGroups + 1, "too many names")
            precondition(
                names.allSatisfy { name in
                    1...SignatureLimits.maximumNameBytes ~= name.utf8.count && !name.utf8.contains(0x2A)
                        && name.utf8.allSatisfy { 0x21...0x7E ~= $0 }
                }, "a name that is none")
            precondition(payload.validity.from <= payload.validity.until, "dates the wrong way round")
            let entitlements = try JSONScanner.scan(payload.entitlements)
            precondition(entitlements.object != nil, "entitlements that are no object")
            if let profile = payload.profile {
                let inner = try CompactJWS(profile, as: .profile)
                _ = try SigningProfile(inner.payload, of: payload.team)
            }
        } catch {
            precondition(error.detail.utf8.count <= SignatureLimits.maximumDetailBytes, "a long sentence")
            precondition(!error.detail.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a sentence with control characters")
        }
    }

    /// Checks that a value that is read can be written as a text that reads the same.
    private static func checkJSON(_ bytes: [UInt8]) {
        guard let value = try? JSONScanner.scan(bytes) else { return }
        let text = value.encoded
        do {
            let again = try JSONScanner.scan(text)
            precondition(again == value && again.encoded == text, "reads as another value")
        } catch {
            preconditionFailure("written, then refused: \(error)")
        }
    }

    /// Checks that each value has only one text.
    private static func checkBase64(_ bytes: [UInt8]) {
        for base in [Base64.standard, .url] {
            precondition(base.decode(base.encode(bytes)) == bytes, "decodes as other bytes")
            if let decoded = base.decode(bytes) {
                precondition(base.encode(decoded) == bytes, "a value with two texts")
            }
        }
    }
}
