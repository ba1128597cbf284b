import TrustProtocol
import WorkerTestSupport

typealias TrustdRun = ForkServerRun

extension ForkServerRun {
    convenience init() throws { try self.init("trustd") }

    func ask(_ request: TrustRequest) throws -> TrustReply {
        try channel.send { request.encode(to: &$0) }
        return try reply()
    }

    func reply() throws -> TrustReply {
        try channel.withFrame(limit: TrustWire.maximumReplyBytes) { frame, _ in try TrustReply(frame: frame) }
    }
}
