import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import ItemStore
import Sealing

/// The certificates of the distribution as a keychain, which macOS keeps in a file that nobody changes.
///
/// Chatelaine has no such file. A search reads the present bundle of the distribution (``SystemRoots``). Each
/// certificate is an item whose identifier follows from its bytes. So a reference is valid as long as the certificate
/// is in the bundle.
final class SystemRootsKeychain: Sendable {
    /// The identifier of the keychain in references: no other keychain has it, and it is the same on every machine.
    static let identifier = StoreIdentifier(
        Bytes16(Array("the system roots".utf8)) ?? Bytes16(repeating: 0))

    private struct Root {
        let identifier: ItemIdentifier
        let der: [UInt8]
        let attributes: AttributeSet
    }

    private let roots: SystemRoots
    /// The items made from the bundle, made anew when the bundle has other certificates.
    private let known = AdaptiveMutex<(certificates: [[UInt8]], roots: [Root])>(([], []))

    init(_ roots: SystemRoots) { self.roots = roots }

    static var unchangeable: KeychainError {
        KeychainError(
            .wrPerm,
            "\(KeychainPath.systemRoots) has the certificates that the distribution trusts, and no program changes it: root adds to them with “security add-trusted-cert -d -U”"
        )
    }

    /// The items that a query describes, as ``CertificateItems`` searches for them; none of another class, and none
    /// that is synchronizable.
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
