import NIOCore
import NIOHTTP1

/// Collects the body of the one answer.
final class Page: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private struct Incomplete: Error, CustomStringConvertible {
        let description = "the connection ended before the answer did"
    }

    private let answer: EventLoopPromise<String>
    private var body = ""

    init(_ answer: EventLoopPromise<String>) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: break
        case .body(let part): body += String(buffer: part)
        case .end:
            answer.succeed(body)
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { answer.fail(Incomplete()) }
}
