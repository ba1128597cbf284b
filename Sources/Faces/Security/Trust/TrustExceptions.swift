import ChatelaineModel
import Foundation

/// Defects of a chain that evaluations ignore.
///
/// A program may store them as data; they apply to the same certificates alone.
package struct TrustExceptions: Sendable, Equatable {
    /// The excepted defects of one certificate.
    struct Link: Sendable, Equatable {
        /// DER; empty for an issuer without excepted defects.
        var certificate: [UInt8]
        var defects: [TrustDefect]
    }

    /// The certificates in the order of the chain, the evaluated one first.
    let links: [Link]

    private static let (certificatesKey, defectsKey) = ("certificates", "defects")

    /// DER of the evaluated certificate.
    var certificate: [UInt8] { links.first?.certificate ?? [] }

    /// - Parameter verdict: the verdict before other exceptions.
    init(_ verdict: TrustVerdict) {
        links = verdict.chain.enumerated().map { index, link in
            let defects = link.defects.filter { !$0.isFatal && $0 != .denied }
            return Link(certificate: index == 0 || !defects.isEmpty ? link.certificate : [], defects: defects)
        }
    }

    /// Nil for data that holds no exceptions.
    init?(_ data: [UInt8]) {
        guard let list = try? PropertyListSerialization.propertyList(from: Data(data), format: nil) as? [String: Any],
            let certificates = list[Self.certificatesKey] as? [Data], let numbers = list[Self.defectsKey] as? [[Int]],
            certificates.count == numbers.count, numbers.count <= TrustLimits.maximumChain
        else { return nil }
        links = zip(certificates, numbers).map { certificate, numbers in
            Link(
                certificate: [UInt8](certificate),
                defects: numbers.compactMap { UInt8(exactly: $0).flatMap(TrustDefect.init(rawValue:)) })
        }
    }

    var data: [UInt8] {
        let list: [String: Any] = [
            Self.certificatesKey: links.map { Data($0.certificate) },
            Self.defectsKey: links.map { $0.defects.map { Int($0.rawValue) } },
        ]
        let data = try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        return data.map { [UInt8]($0) } ?? []
    }

    /// Returns the verdict without the excepted defects.
    ///
    /// A verdict about another certificate stays as it is, and so does any certificate of the chain that was
    /// replaced.
    func applied(to verdict: TrustVerdict) -> TrustVerdict {
        guard verdict.chain.first?.certificate == certificate, verdict.result == .recoverableTrustFailure else {
            return verdict
        }
        var verdict = verdict
        for (index, link) in zip(verdict.chain.indices, links)
        where verdict.chain[index].certificate == link.certificate {
            verdict.chain[index].defects.removeAll { !$0.isFatal && link.defects.contains($0) }
        }
        if verdict.firstDefect == nil { verdict.result = .proceed }
        return verdict
    }
}
