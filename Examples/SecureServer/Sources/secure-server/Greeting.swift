import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Answers each request with one line.
final class Greeting: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let body = ByteBuffer(string: "hello\n")
        let headers: HTTPHeaders = ["content-length": "\(body.readableBytes)", "connection": "close"]
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let end = context.loopBound
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in end.value.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        FileHandle.standardError.write(Data("secure-server: a connection ended: \(error)\n".utf8))
        context.close(promise: nil)
    }
}
