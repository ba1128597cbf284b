import ChatelaineModel
import Foundation

/// Defects of a chain with which a program has a person be content: data that it may keep, for the same certificates alone.
package struct TrustExceptions: Sendable, Equatable {
    /// What is excepted of one certificate.
    struct Link: Sendable, Equatable {
        /// DER; empty for an issuer of which nothing is excepted.
        var certificate: [UInt8]
        var defects: [TrustDefect]
    }

    /// In the order of the chain; the one that was judged is the first.
    let links: [Link]

    private static let (certificatesKey, defectsKey) = ("certificates", "defects")

    /// DER of the certificate that was judged.
    var certificate: [UInt8] { links.first?.certificate ?? [] }

    /// - Parameter verdict: without other exceptions.
    init(_ verdict: TrustVerdict) {
        links = verdict.chain.enumerated().map { index, link in
            let defects = link.defects.filter { !$0.isFatal && $0 != .denied }
            return Link(certificate: index == 0 || !defects.isEmpty ? link.certificate : [], defects: defects)
        }
    }

    /// Nil for what is no such data.
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

    /// A verdict without what is excepted; another one of the same chain is not touched, nor any certificate that stands in the place of one.
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
