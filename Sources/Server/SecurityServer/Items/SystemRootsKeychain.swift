import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import ItemStore
import Sealing

/// The certificates of the distribution as a keychain: what macOS has in a file of its own, which nobody changes.
///
/// There is no such file here. What is found is the distribution's bundle as it is now (``SystemRoots``), each certificate an item whose
/// name follows from its bytes, so that references live as long as it stands there.
final class SystemRootsKeychain: Sendable {
    /// What references name the keychain by: nobody's own, and the same on every machine.
    static let identifier = StoreIdentifier(
        Bytes16(Array("the system roots".utf8)) ?? Bytes16(repeating: 0))

    private struct Root {
        let identifier: ItemIdentifier
        let der: [UInt8]
        let attributes: AttributeSet
    }

    private let roots: SystemRoots
    /// What was made of the bundle, which is made anew where that has others.
    private let known = AdaptiveMutex<(certificates: [[UInt8]], roots: [Root])>(([], []))

    init(_ roots: SystemRoots) { self.roots = roots }

    static var unchangeable: KeychainError {
        KeychainError(
            .wrPerm,
            "\(KeychainPath.systemRoots) has the certificates that the distribution trusts, and no program changes it: root adds to them with “security add-trusted-cert -d -U”"
        )
    }

    /// The items that a query describes, as ``CertificateItems`` looks for them; none of another class, and none that is synchronizable.
    func find(_ query: ItemQuery, _ certificates: CertificateItems) throws(KeychainError) -> [KeychainItem] {
        guard query.itemClass == .certificate, query.synchronizable.contains(false) else { return [] }
        let roots = try described(certificates)
        func look(for query: ItemQuery) -> [FoundItem] {
            let demand = AttributeDemand(query)
            return roots.lazy.filter { root in
                query.items?.contains(root.identifier) ?? true && query.identifier.map { $0 == root.identifier } ?? true
                    && demand.isSatisfied(by: root.attributes)
            }.prefix(query.limit.maximum).map { root in
                FoundItem(
                    identifier: root.identifier, itemClass: .certificate, accessibility: .always,
                    isSynchronizable: false,
                    attributes: query.returns.includeAttributes ? EncodedAttributes(root.attributes) : nil,
                    secret: query.returns.contains(.data) ? SecretBytes(root.der) : nil)
            }
        }
        return try certificates.rows(query) {
            look(for: $0)
        } look: {
            look(for: $0)
        }
        .map { KeychainItem($0, of: Self.identifier, at: KeychainPath.systemRoots, isVerified: true) }
    }

    private func described(_ certificates: CertificateItems) throws(KeychainError) -> [Root] {
        let present = try roots.index().roots.map(\.certificate)
        if let roots = known.withLock({ $0.certificates == present ? $0.roots : nil }) { return roots }
        let described = try certificates.described(present).map { (der, attributes) in
            let digest = Checksum.sha256(of: der)
            return Root(
                identifier: ItemIdentifier(Bytes16(digest.prefix(Bytes16.count)) ?? Bytes16(repeating: 0)), der: der,
                attributes: attributes)
        }
        known.withLock { $0 = (present, described) }
        return described
    }
}
