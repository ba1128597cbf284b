import CChatelaine
import Glibc

/// A program with its own client of securityd, for tests of what the daemon allows.
///
/// Its arguments are steps, which it does in order; each step that receives something prints a line. A copy of it at a
/// path is an application like any other, so it is also the honest program of a test. Steps that start a program give
/// it the socket, and another copy of this program continues with the remaining steps.
///
/// | step | what happens |
/// |---|---|
/// | `connect:PATH`, `also:PATH` | connects; connects once more and does not use that connection |
/// | `hello`, `hello-bare`, `hello-version:N`, `hello-descriptors:N` | sends hello: correct, bare, … |
/// | `challenge`, `welcome` | reads the nonce; reads the answer to it |
/// | `nonce`, `nonce-bare`, `nonce-wrong` | returns the nonce: correct, without descriptor, another one |
/// | `find`, `add`, `update`, `delete` | makes a call about the one item of all tests |
/// | `subscribe`, `notified` | asks for notifications on the connection; reads one |
/// | `announce:N` | sends a request of operation N without further fields, and prints the status |
/// | `bring:N:WHAT` | does the same with a descriptor (`Peer+Passcodes.swift`) |
/// | `part:N:WHAT` | sends the frame for part N of a passcode, with a descriptor |
/// | `report` | reads the outcome of a passcode |
/// | `find-surplus` | sends two requests at once |
/// | `bytes:N`, `length:N` | sends N random bytes; sends the length of a frame of N bytes |
/// | `ended` | waits for the daemon to end the connection |
/// | `hold` | waits for the end of its input |
/// | `watches` | takes every watch for files that its user may have |
/// | `mark` | prints a line to show that this step was reached |
/// | `user:NUMBER` | becomes this user in the kernel's data about its messages, and stays the same program |
/// | `exec:PROGRAM`, `spawn:PROGRAM` | becomes, or starts, a program that continues with the remaining steps |
/// | `leave:PROGRAM` | this process becomes PROGRAM; its child continues with the socket |
/// | `relay:PROGRAM` | the same, but the child sends its messages through PROGRAM, whose output is the socket |
@main
enum Attacker {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        var peer = Peer.inherited()
        let steps = Array(CommandLine.arguments.dropFirst())
        for (index, step) in steps.enumerated() {
            let parts = step.split(separator: ":", maxSplits: 1).map { String($0) }
            let rest = Array(steps[(index + 1)...])
            do {
                if try perform(parts[0], parts.count > 1 ? parts[1] : "", &peer, rest) == .leave { return }
            } catch {
                Processes.say(parts[0], "closed")
            }
        }
    }

    private enum Next {
        case goOn
        case leave
    }

    private static func perform(_ step: String, _ operand: String, _ peer: inout Peer, _ rest: [String]) throws -> Next
    {
        switch step {
        case "connect": try peer.connect(operand)
        case "also": _ = chatelaine_unix_connect(chatelaine_unix_socket(), operand)
        case "hello": try peer.hello()
        case "hello-bare": try peer.hello(descriptors: 0)
        case "hello-version": try peer.hello(version: UInt64(operand) ?? 0)
        case "hello-descriptors": try peer.hello(descriptors: Int(operand) ?? 0)
        case "challenge": Processes.say("challenge", try peer.challenge())
        case "nonce": try peer.answer()
        case "nonce-bare": try peer.answer(descriptors: 0)
        case "nonce-wrong": try peer.answer(isRight: false)
        case "welcome": Processes.say("welcome", try peer.header())
        case "find", "add", "update", "delete": Processes.say(step, try peer.call(step))
        case "subscribe": Processes.say(step, try peer.subscribe())
        case "notified": Processes.say(step, try peer.notification())
        case "announce", "bring": Processes.say(step, try peer.announce(operand))
        case "part": try peer.part(operand)
        case "report": Processes.say(step, try peer.report())
        case "find-surplus": Processes.say(step, try peer.call("find", times: 2))
        case "bytes": try peer.send((0..<(Int(operand) ?? 0)).map { _ in UInt8.random(in: 0...255) })
        case "length": try peer.send(withUnsafeBytes(of: (UInt32(operand) ?? 0).littleEndian) { Array($0) })
        case "ended": Processes.say("ended", peer.isEnded() ? "yes" : "no")
        case "hold": while readLine() != nil {}
        case "watches": while chatelaine_watch_removals("/") >= 0 {}
        case "mark": Processes.say("mark")
        case "user": Processes.say(step, setreuid(uid_t(operand) ?? 0, uid_t.max) == 0 ? "yes" : "no")
        case "exec": try peer.become(operand, rest)
        case "spawn":
            try peer.start(operand, rest)
            return .leave
        case "leave": try peer.leave(operand, isRelay: false)
        case "relay": try peer.leave(operand, isRelay: true)
        default: Processes.say(step, "unknown")
        }
        return .goOn
    }
}
