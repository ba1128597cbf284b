import ChatelaineModel
import ChatelaineSystem
import SystemCalls
import TrustProtocol

@testable import SecurityServer

extension TrustService {
    /// A service without a judge, for tests of other matters.
    static func test(log: Log) -> TrustService {
        TrustService(NobodyJudges(), fetcher: NobodyFetches(), user: nil, log: log, places: [], folder: "/nowhere")
    }
}

struct NobodyFetches: EvidenceFetching {
    func fetch(
        _ orders: [EvidenceOrder], at ports: [UInt16], for slot: ConnectionSlot, until deadline: Int64
    ) -> [EvidenceOutcome] { orders.map { _ in .nothing } }

    var now: Int64 { 0 }
}

private struct NobodyJudges: TrustJudging {
    func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement? {
        throw KeychainError(.notAvailable, "nobody judges certificates here")
    }

    func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot] { [] }
}
