import SwiftASN1
import X509

/// The extensions of a certificate.
///
/// swift-certificates refuses some encodings that authorities have in use, so these are read here.
struct ReadExtensions: Sendable {
    /// Nil if the certificate has no such extension.
    var constraints: BasicConstraints?
    var keyUsage: KeyUsage?
    var purposes: [ASN1ObjectIdentifier]?
    var names: [GeneralName]
    var nameConstraints: NameSubtrees?
    /// Whether there is a critical extension that is not supported here.
    var hasUnknownCritical: Bool
    /// Whether the places of revocation lists can be read, or there are none.
    var hasReadablePoints: Bool

    /// The supported extensions. Certificate policies are among them, since any policy is accepted; constraints that
    /// require a policy are not.
    private static let known: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.nameConstraints,
        .X509ExtensionID.authorityKeyIdentifier, .X509ExtensionID.subjectKeyIdentifier,
        .X509ExtensionID.authorityInformationAccess, [2, 5, 29, 32], NamedSources.distributionPoints,
    ]

    init(_ certificate: Certificate) throws {
        let extensions = certificate.extensions
        func value(_ identifier: ASN1ObjectIdentifier) throws -> ASN1Node? {
            try extensions[oid: identifier].map { try DER.parse($0.value) }
        }
        constraints = try value(.X509ExtensionID.basicConstraints).map { try BasicConstraints(tolerant: $0) }
        keyUsage = try value(.X509ExtensionID.keyUsage).map { try KeyUsage(tolerant: $0) }
        purposes = try extensions.extendedKeyUsage.map { usage in usage.map { ASN1ObjectIdentifier($0) } }
        names = try value(.X509ExtensionID.subjectAlternativeName).map { try GeneralName.alternatives($0) } ?? []
        nameConstraints = try value(.X509ExtensionID.nameConstraints).map { try NameSubtrees($0) }
        hasUnknownCritical = extensions.contains { $0.critical && !Self.known.contains($0.oid) }
        let points = extensions[oid: NamedSources.distributionPoints]
        hasReadablePoints = points.map { (try? DistributionPoint.all(in: Array($0.value))) != nil } ?? true
        // Whatever makes it critical cannot be known then.
        if !hasReadablePoints, points?.critical ?? false { throw Missing() }
    }

    var isAuthority: Bool {
        if case .isCertificateAuthority? = constraints { true } else { false }
    }

    /// The most issuers that may be below it; nil for any number.
    var pathLength: Int? {
        if case .isCertificateAuthority(let length)? = constraints { length } else { nil }
    }
}

extension BasicConstraints {
    /// Reads the value also where the default is written out, or where there is a length without an authority.
    init(tolerant node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { fields in
            let flag: Bool? = try DER.optionalImplicitlyTagged(&fields)
            let length: Int? = try DER.optionalImplicitlyTagged(&fields)
            guard length ?? 0 >= 0 else { throw Missing() }
            return flag == true ? .isCertificateAuthority(maxPathLength: length) : .notCertificateAuthority
        }
    }
}

extension KeyUsage {
    private static let uses: [WritableKeyPath<KeyUsage, Bool> & Sendable] = [
        \.digitalSignature, \.nonRepudiation, \.keyEncipherment, \.dataEncipherment, \.keyAgreement, \.keyCertSign,
        \.cRLSign, \.encipherOnly, \.decipherOnly,
    ]

    /// Reads the value also where zeros follow the last use; some roots have a whole byte of them.
    init(tolerant node: ASN1Node) throws {
        self.init()
        for (index, byte) in try ASN1BitString(derEncoded: node).bytes.enumerated() {
            for bit in 0..<8 where byte & 0x80 >> bit != 0 {
                guard index * 8 + bit < Self.uses.count else { throw Missing() }
                self[keyPath: Self.uses[index * 8 + bit]] = true
            }
        }
    }
}

/// The names that certificates below an issuer may have (RFC 5280, 4.2.1.10).
struct NameSubtrees: Sendable {
    let permitted: [GeneralName]
    let excluded: [GeneralName]

    /// - Throws: for a distance other than the default, which RFC 5280 does not allow.
    init(_ node: ASN1Node) throws {
        (permitted, excluded) = try DER.sequence(node, identifier: .sequence) { fields in
            (try Self.names(0, &fields), try Self.names(1, &fields))
        }
    }

    private static func names(_ number: UInt, _ fields: inout ASN1NodeCollection.Iterator) throws -> [GeneralName] {
        try DER.optionalImplicitlyTagged(&fields, tagNumber: number, tagClass: .contextSpecific) { node in
            guard case .constructed(let subtrees) = node.content else { throw Missing() }
            return try subtrees.map { subtree in
                try DER.sequence(subtree, identifier: .sequence) { parts in
                    let name = try GeneralName(derEncoded: &parts)
                    let minimum = try DER.optionalImplicitlyTagged(
                        &parts, tagNumber: 0, tagClass: .contextSpecific
                    ) { try Int(derEncoded: $0, withIdentifier: .context(0)) }
                    guard minimum ?? 0 == 0 else { throw Missing() }
                    return name
                }
            }
        } ?? []
    }
}

extension GeneralName {
    /// Reads alternative names; an e-mail address or URI may have characters beyond ASCII.
    ///
    /// Such a name is no valid one and equals none, but does not affect the others.
    static func alternatives(_ node: ASN1Node) throws -> [GeneralName] {
        guard node.identifier == .sequence, case .constructed(let nodes) = node.content else { throw Missing() }
        return try nodes.map { node in
            do { return try GeneralName(derEncoded: node) } catch {
                guard case .primitive(let bytes) = node.content else { throw error }
                switch node.identifier {
                case .context(1): return .rfc822Name(String(decoding: bytes, as: UTF8.self))
                case .context(6): return .uniformResourceIdentifier(String(decoding: bytes, as: UTF8.self))
                default: throw error
                }
            }
        }
    }
}

extension String {
    /// Whether an address or URI has only the characters that are allowed in one.
    var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
