import Foundation
import KeychainTLS
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Answers over HTTPS with an identity of the keychain, to clients that have one.
///
///     secure-server import FILE.p12 <passphrase
///     secure-server serve LABEL PORT
@main
enum SecureServer {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            FileHandle.standardError.write(Data("secure-server: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.count) {
        case ("import", 2):
            print(try KeychainIdentity.importing(arguments[1], passphrase: readLine() ?? "").joined(separator: "\n"))
        case ("serve", 3):
            guard let port = Int(arguments[2]) else { fallthrough }
            try await serve(KeychainIdentity(label: arguments[1]), port: port)
        default:
            FileHandle.standardError.write(Data("usage: secure-server import FILE | serve LABEL PORT\n".utf8))
            exit(2)
        }
    }

    private static func serve(_ identity: KeychainIdentity, port: Int) async throws {
        let context = try TLS.server(identity)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = NIOSSLServerHandler(
                        context: context, customVerificationCallback: PeerTrust.judge(host: nil))
                    try channel.pipeline.syncOperations.addHandler(tls)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Greeting())
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        // Port 0 is any that is free.
        let listening = "listening on port \(channel.localAddress?.port ?? port)\n"
        FileHandle.standardOutput.write(Data(listening.utf8))
        try await channel.closeFuture.get()
    }
}
