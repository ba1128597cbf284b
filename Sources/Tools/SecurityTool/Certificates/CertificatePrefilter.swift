import ChatelaineModel

/// Selects the certificates that a word may mean by their bytes, so that the others need not be read.
///
/// A certificate that passes may still be another one, but one that fails never matches. If a name may have letters in
/// an encoding other than ASCII, the certificate passes.
struct CertificatePrefilter {
    /// A part of the common name.
    var name: String?
    /// An e-mail address.
    var address: String?

    func passes(_ certificate: StoredCertificate) -> Bool {
        guard case .data(let subject)? = certificate.item?.item.attributes[.subject], !Self.isWide(subject) else {
            return true
        }
        if let words = name.flatMap(Self.words), !Self.contains(Self.folded(subject), words) { return false }
        if let words = address.flatMap(Self.words), !Self.contains(Self.folded(certificate.der), words) { return false }
        return true
    }

    /// Whether names may have letters outside ASCII, or in several bytes each.
    ///
    /// It looks for the tags of BMPString and UniversalString, and for bytes beyond ASCII. If such a byte is only a
    /// length, the certificate passes needlessly, which does no harm.
    private static func isWide(_ subject: [UInt8]) -> Bool {
        subject.contains { $0 == 0x1E || $0 == 0x1C || $0 >= 0x80 }
    }

    /// The bytes to look for; nil if bytes cannot decide.
    private static func words(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let blank = UInt8(ascii: " ")
        return folded(Array(bytes.drop { $0 == blank }.reversed().drop { $0 == blank }.reversed()))
    }

    /// The bytes in upper case and with single blanks, as printable strings are normalised.
    private static func folded(_ bytes: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(bytes.count)
        for byte in bytes {
            let letter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 0x20 : byte
            if letter == UInt8(ascii: " "), folded.last == letter { continue }
            folded.append(letter)
        }
        return folded
    }

    private static func contains(_ bytes: [UInt8], _ words: [UInt8]) -> Bool {
        guard let first = words.first else { return true }
        guard bytes.count >= words.count else { return false }
        for start in 0...bytes.count - words.count where bytes[start] == first {
            if bytes[start..<start + words.count].elementsEqual(words) { return true }
        }
        return false
    }
}
