/// The purpose for which a chain of certificates has to be valid (`SecPolicy`).
package struct TrustPolicy: Hashable, Sendable {
    /// The purpose of a policy; ``PolicyTerms`` has the conditions of each.
    package enum Purpose: UInt8, CBORValue, CaseIterable, Sendable {
        case basic = 1
        case ssl = 2
        case smime = 3
        case eap = 4
        case ipsec = 5
        case codeSigning = 6
        case timeStamping = 7
        case revocation = 8
        case pkinitClient = 9
        case pkinitServer = 10
    }

    package var purpose: Purpose
    /// Whether the certificate is that of a client, in TLS, EAP and IPsec.
    package var isClient = false
    /// A host name or address, or an e-mail address; nil for any.
    package var name: String?
    /// The `kSecRevocation…` flags of ``Purpose/revocation``.
    package var revocation: RevocationFlags = []
    /// Key usages that the certificate has to name, as bits of `SecKeyUsage`.
    package var keyUsage: UInt64

    package init(
        _ purpose: Purpose, isClient: Bool = false, name: String? = nil, revocation: RevocationFlags = [],
        keyUsage: UInt64 = 0
    ) {
        self.purpose = purpose
        self.isClient = isClient
        self.name = name
        self.revocation = revocation
        self.keyUsage = keyUsage
    }

    /// All key usages that a certificate can name.
    package static let allKeyUsages: UInt64 = 0x1FF
}

/// How an evaluation checks revocation. The numbers are Apple's.
package struct RevocationFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let ocsp = Self(rawValue: 1)
    package static let lists = Self(rawValue: 2)
    package static let preferLists = Self(rawValue: 4)
    package static let requirePositiveResponse = Self(rawValue: 8)
    package static let noNetwork = Self(rawValue: 16)
    package static let all: Self = [.ocsp, .lists, .preferLists, .requirePositiveResponse, .noNetwork]
}

extension TrustPolicy: CBORValue {
    private enum Field: UInt64, CBORField {
        case purpose = 1
        case isClient = 2
        case name = 3
        case revocation = 4
        case keyUsage = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.purpose, purpose)
            $0.write(Field.isClient, isClient)
            $0.write(Field.name, name)
            $0.write(Field.revocation, revocation.rawValue)
            $0.write(Field.keyUsage, keyUsage == 0 ? nil : keyUsage)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.read(Field.purpose), isClient: try map.read(Field.isClient),
            name: try map.readIfPresent(Field.name),
            revocation: RevocationFlags(rawValue: try map.read(Field.revocation)),
            keyUsage: try map.readIfPresent(Field.keyUsage) ?? 0)
        guard keyUsage <= Self.allKeyUsages else { throw .outOfRange }
        guard name?.utf8.count ?? 0 <= TrustLimits.maximumNameBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}
