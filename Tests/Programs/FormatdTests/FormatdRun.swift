import FormatProtocol
import WorkerTestSupport

typealias FormatdRun = ForkServerRun

extension ForkServerRun {
    convenience init() throws { try self.init("formatd") }

    func ask(_ request: FormatRequest) throws -> FormatReply {
        try channel.send { request.encode(to: &$0) }
        return try reply()
    }

    func reply() throws -> FormatReply {
        try channel.withFrame(limit: FormatWire.maximumReplyBytes) { frame, _ in try FormatReply(frame: frame) }
    }
}
