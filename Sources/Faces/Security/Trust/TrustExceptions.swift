import ChatelaineModel
import Foundation

/// Defects of a chain with which a program has a person be content: data that it may keep, for the same certificate alone.
package struct TrustExceptions: Sendable, Equatable {
    /// DER of the certificate that was judged.
    let certificate: [UInt8]
    /// By the place in the chain.
    let defects: [[TrustDefect]]

    private static let (certificateKey, defectsKey) = ("certificate", "defects")

    init(_ verdict: TrustVerdict) {
        certificate = verdict.chain.first?.certificate ?? []
        defects = verdict.chain.map { $0.defects.filter { !$0.isFatal && $0 != .denied } }
    }

    /// Nil for what is no such data.
    init?(_ data: [UInt8]) {
        guard let list = try? PropertyListSerialization.propertyList(from: Data(data), format: nil) as? [String: Any],
            let certificate = list[Self.certificateKey] as? Data, let numbers = list[Self.defectsKey] as? [[Int]],
            numbers.count <= TrustLimits.maximumChain
        else { return nil }
        self.certificate = [UInt8](certificate)
        defects = numbers.map { $0.compactMap { UInt8(exactly: $0).flatMap(TrustDefect.init(rawValue:)) } }
    }

    var data: [UInt8] {
        let list: [String: Any] = [
            Self.certificateKey: Data(certificate), Self.defectsKey: defects.map { $0.map { Int($0.rawValue) } },
        ]
        return (try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)).map {
            [UInt8]($0)
        }
            ?? []
    }

    /// A verdict without what is excepted; another one of the same chain is not touched.
    func applied(to verdict: TrustVerdict) -> TrustVerdict {
        guard verdict.chain.first?.certificate == certificate, verdict.result == .recoverableTrustFailure else {
            return verdict
        }
        var verdict = verdict
        for (index, excepted) in zip(verdict.chain.indices, defects) {
            verdict.chain[index].defects.removeAll { !$0.isFatal && excepted.contains($0) }
        }
        if verdict.firstDefect == nil { verdict.result = .proceed }
        return verdict
    }
}
