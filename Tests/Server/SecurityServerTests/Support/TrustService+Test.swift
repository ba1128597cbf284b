import ChatelaineModel
import SystemCalls
import TrustProtocol

@testable import SecurityServer

extension TrustService {
    /// One that nobody judges for: of a home whose tests ask about other things.
    static func test(log: Log) -> TrustService {
        TrustService(NobodyJudges(), user: nil, log: log, places: [], folder: "/nowhere")
    }
}

private struct NobodyJudges: TrustJudging {
    func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement {
        throw KeychainError(.notAvailable, "nobody judges certificates here")
    }

    func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot] { [] }
}
