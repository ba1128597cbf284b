import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Foundation
import ServerIPC
import SystemCalls
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Tests of the client against a daemon that follows a test's script.
struct KeychainClientTests {
    static let query = ItemQuery(itemClass: .genericPassword)

    static var item: FoundItem {
        FoundItem(
            identifier: ItemIdentifier(), itemClass: .genericPassword, accessibility: .always, isSynchronizable: true,
            attributes: nil, secret: SecretBytes([1]))
    }

    static func identifiers(_ requests: [any RequestMessage]) -> [RequestIdentifier] {
        requests.compactMap { ($0 as? any ChangeMessage)?.identifier }
    }

    @Test func oneConnectionServesCallAfterCall() throws {
        let daemon = try FakeDaemon { _, request, channel in
            switch request.operation {
            case .find, .add: try FakeDaemon.succeed(channel) { Self.item.encode(to: &$0) }
            case .status: try FakeDaemon.succeed(channel) { DaemonReport().encode(to: &$0) }
            case .listApplications:
                try FakeDaemon.succeed(channel) {
                    ApplicationDecision(path: "/a", state: .pinned, digest: [1], date: 0).encode(to: &$0)
                }
            default: try FakeDaemon.succeed(channel)
            }
        }
        let client = daemon.makeClient()
        #expect(try client.find(Self.query).first?.secret == SecretBytes([1]))
        #expect(try client.add(NewItem(itemClass: .genericPassword)).isSynchronizable)
        try client.update(Self.query, ItemChange())
        try client.delete(Self.query)
        #expect(try client.status().facts.isEmpty)
        #expect(try client.applications(.list).map(\.path) == ["/a"])
        #expect(daemon.now.connections == 1)
        #expect(Set(Self.identifiers(daemon.requests)).count == 3)
    }

    /// The client starts a daemon of its own folder, which ends with that folder.
    @Test func theDaemonOfAnotherFolderIsNotAsked() throws {
        let daemon = try FakeDaemon(greeting: .otherFolder)
        _ = try? daemon.makeClient().find(Self.query)
        #expect(daemon.now.connections == 0 && daemon.requests.isEmpty)
        let names = TemporaryFolder.names(in: daemon.folder.path + "/run")
        #expect(names.contains("securityd.sock") && names.contains { $0.hasPrefix("securityd-") })
    }

    @Test func aRefusalLeavesTheConnection() throws {
        let daemon = try FakeDaemon { _, _, channel in try FakeDaemon.fail(channel, .duplicateItem, "there is one") }
        let client = daemon.makeClient()
        for _ in 0..<3 {
            let error = #expect(throws: KeychainError.self) { try client.add(NewItem(itemClass: .genericPassword)) }
            #expect(error?.status == .duplicateItem && error?.reason == "there is one")
        }
        #expect(daemon.now.connections == 1 && daemon.requests.count == 3)
    }

    @Test func nothingFoundIsAnError() throws {
        let daemon = try FakeDaemon()
        #expect(throws: KeychainError(.itemNotFound, "")) { try daemon.makeClient().find(Self.query) }
    }

    @Test func aChangeThatADyingDaemonLeftIsAskedAgainUnderItsNumber() throws {
        let daemon = try FakeDaemon { index, _, channel in
            guard index >= 3 else { throw FakeDaemon.Died() }
            try FakeDaemon.succeed(channel)
        }
        try daemon.makeClient().delete(Self.query)
        #expect(daemon.requests.count == 4)
        #expect(Set(Self.identifiers(daemon.requests)).count == 1)
        #expect(daemon.now.connections == 4)
    }

    @Test func aDaemonThatDiesWithinItsAnswer() throws {
        let daemon = try FakeDaemon { index, _, channel in
            if index == 0 {
                try channel.send { _ in }
            } else if index == 1 {
                try [UInt8](repeating: 0xA1, count: 9).withUnsafeBytes { piece in
                    try channel.send(isContinued: true) { $0.appendEncoded(piece) }
                }
                throw FakeDaemon.Died()
            } else {
                try FakeDaemon.succeed(channel)
            }
        }
        let client = daemon.makeClient()
        // An unreadable reply counts as none. The request is not repeated, since the daemon did its work.
        #expect(throws: KeychainError(.notAvailable, "")) { try client.delete(Self.query) }
        try client.delete(Self.query)
        #expect(daemon.requests.count == 3)
        #expect(daemon.now.connections == 3, "a connection with a broken reply is not used again")
    }

    /// After that time, the daemon may have forgotten that it made the change.
    @Test func aChangeIsNotAskedAgainTooLate() throws {
        let daemon = try FakeDaemon { index, _, channel in
            guard index % 2 == 1 else { throw FakeDaemon.Died() }
            try FakeDaemon.succeed(channel) { Self.item.encode(to: &$0) }
        }
        let client = daemon.makeClient(repetitionSeconds: -1)
        let error = #expect(throws: KeychainError.self) { try client.delete(Self.query) }
        #expect(error?.status == .notAvailable && error?.reason.contains("look whether the change was made") == true)
        #expect(daemon.requests.count == 1)
        // The next call uses the connection that was opened for the repetition. A search may always be repeated.
        _ = try client.find(Self.query)
        _ = try client.find(Self.query)
        #expect(daemon.requests.count == 4)
    }

    @Test func itGivesUpInTheEnd() throws {
        let daemon = try FakeDaemon { _, _, _ in throw FakeDaemon.Died() }
        #expect(throws: KeychainError(.notAvailable, "")) { try daemon.makeClient().delete(Self.query) }
        #expect(daemon.requests.count == ClientLimits.attempts)
    }

    @Test func aDaemonThatNeverGreets() throws {
        let daemon = try FakeDaemon(greeting: .silence)
        let error = #expect(throws: KeychainError.self) { try daemon.makeClient().status() }
        #expect(error?.status == .notAvailable)
        daemon.change { $0.isReleased = true }
    }

    @Test func aDaemonThatRefusesTheHandshake() throws {
        let daemon = try FakeDaemon(greeting: .refuse(.notAvailable, "another version"))
        let error = #expect(throws: KeychainError.self) { try daemon.makeClient().status() }
        #expect(error?.status == .notAvailable && error?.reason == "another version")
    }

    @Test func aRequestThatFitsNoFrameIsNotSent() throws {
        let daemon = try FakeDaemon()
        let client = daemon.makeClient()
        var change = ItemChange()
        change.secret = SecretBytes(count: FrameLimits.requestBytes) { _ in }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try client.update(Self.query, change) }
        try client.delete(Self.query)
        #expect(daemon.requests.count == 1 && daemon.now.connections == 1)
    }

    @Test func theLargestRequestFits() throws {
        let daemon = try FakeDaemon { _, _, channel in try FakeDaemon.succeed(channel) { Self.item.encode(to: &$0) } }
        var item = NewItem(itemClass: .genericPassword)
        item.secret = SecretBytes(count: Limits.secretBytes) { _ in }
        item.attributes[.account] = .data([UInt8](repeating: 1, count: Limits.attributeBytes - 14))
        try item.validate()
        _ = try daemon.makeClient().add(item)
        #expect(daemon.requests.count == 1)
    }

    @Test func sixteenConnectionsAndTheOthersWait() throws {
        let callers = 40
        let release = NSCondition()
        let daemon = try FakeDaemon { [release] _, _, channel in
            release.lock()
            release.unlock()
            try FakeDaemon.succeed(channel)
        }
        let client = daemon.makeClient()
        let done = DispatchGroup()
        // No answer is sent while the test holds the lock.
        release.lock()
        for _ in 0..<callers {
            done.enter()
            let isStarted = Worker.start {
                try? client.delete(Self.query)
                done.leave()
            }
            #expect(isStarted)
        }
        #expect(daemon.wait { $0.busy == ClientLimits.connections })
        release.unlock()
        #expect(done.wait(timeout: .now() + 30) == .success)
        let end = daemon.now
        #expect(end.requests.count == callers)
        #expect(end.mostBusy == ClientLimits.connections && end.connections == ClientLimits.connections)
    }

    @Test func callersWaitAlsoWhereConnectionsDie() throws {
        let callers = 30
        let daemon = try FakeDaemon { index, _, channel in
            guard index % 3 != 0 else { throw FakeDaemon.Died() }
            try FakeDaemon.succeed(channel)
        }
        let client = daemon.makeClient()
        let done = DispatchGroup()
        for _ in 0..<callers {
            done.enter()
            _ = Worker.start {
                try? client.delete(Self.query)
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + 30) == .success, "somebody was not woken")
        #expect(daemon.now.mostBusy <= ClientLimits.connections)
    }

    @Test func aClientThatEndsClosesItsConnections() throws {
        let daemon = try FakeDaemon()
        do {
            let client = daemon.makeClient()
            try client.delete(Self.query)
            #expect(daemon.now.open == 1)
        }
        #expect(daemon.wait { $0.open == 0 })
    }

    @Test func aStrangersSocketIsRefused() throws {
        let daemon = try FakeDaemon()
        var environment = daemon.environment
        environment.uid += 1
        let client = KeychainClient(environment: environment)
        #expect(throws: KeychainError(.notAvailable, "")) { try client.status() }
        #expect(daemon.requests.isEmpty)
    }
}
