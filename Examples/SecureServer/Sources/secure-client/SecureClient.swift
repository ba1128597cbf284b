import Foundation
import KeychainTLS
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Fetches a page over HTTPS, shows an identity of the keychain where one is named, and trusts what this machine
/// trusts.
///
///     secure-client import FILE.p12 <passphrase
///     secure-client get HOST PORT [LABEL] [--tls12]
@main
enum SecureClient {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            FileHandle.standardError.write(Data("secure-client: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        var words = arguments
        let isOlder = words.last == "--tls12"
        if isOlder { words.removeLast() }
        switch (words.first, words.count) {
        case ("import", 2):
            print(try KeychainIdentity.importing(words[1], passphrase: readLine() ?? "").joined(separator: "\n"))
        case ("get", 3...4):
            guard let port = Int(words[2]) else { fallthrough }
            let identity = try words.count == 4 ? KeychainIdentity(label: words[3]) : nil
            let context = try TLS.client(identity, newest: isOlder ? .tlsv12 : .tlsv13)
            print(try await fetch(words[1], port, context), terminator: "")
        default:
            let usage = "usage: secure-client import FILE | get HOST PORT [LABEL] [--tls12]\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(2)
        }
    }

    /// The page of a server on this machine, whose certificate has to be for `host`.
    private static func fetch(_ host: String, _ port: Int, _ context: NIOSSLContext) async throws -> String {
        let answer = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: String.self)
        // TLS announces names to servers, and no addresses.
        let name = (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
        let connecting = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(
                        context: context, serverHostname: name,
                        customVerificationCallback: PeerTrust.judge(host: host))
                    try channel.pipeline.syncOperations.addHandler(tls)
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(Page(answer))
                }
            }
            .connect(host: "127.0.0.1", port: port)
        connecting.whenFailure(answer.fail)
        let channel = try await connecting.get()
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["host": host])
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        return try await answer.futureResult.get()
    }
}
