import ChatelaineModel

/// Which certificates may be those that a word means, by their bytes alone: the others need not be read.
///
/// What passes may be another one, and what does not pass is none: where letters may be written in another way than as ASCII, a certificate passes.
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

    /// Whether names may have other letters than ASCII's, or these in several bytes: tags of BMPString and UniversalString, and what is beyond ASCII. As lengths the
    /// same bytes are no harm: then a certificate passes.
    private static func isWide(_ subject: [UInt8]) -> Bool {
        subject.contains { $0 == 0x1E || $0 == 0x1C || $0 >= 0x80 }
    }

    /// Nil where bytes cannot tell.
    private static func words(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let blank = UInt8(ascii: " ")
        return folded(Array(bytes.drop { $0 == blank }.reversed().drop { $0 == blank }.reversed()))
    }

    /// In capitals and with one blank for several, as printable strings are normalised.
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
