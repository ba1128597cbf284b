import Foundation
import LocalAuthentication

// SecretNotes add NAME [--password]     a note from standard input; with --password the first line is its password
// SecretNotes list
// SecretNotes show NAME… [--password]   with --password that comes from standard input, else you are asked once for
//                                       all of them
// SecretNotes delete NAME

@main
enum SecretNotes {
    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        let hasPassword = words.last == "--password"
        if hasPassword { words.removeLast() }
        let store = NoteStore()
        do {
            switch (words.first, Array(words.dropFirst())) {
            case ("add", let names) where names.count == 1:
                let password = try hasPassword ? line("password") : nil
                if password == nil { requireOwner() }
                var note: [String] = []
                while let line = readLine() { note.append(line) }
                try await store.add(note.joined(separator: "\n"), name: names[0], password: password)
                print("kept")
            case ("list", []):
                for note in try await store.list() { print("\(note.name) (\(note.protection.rawValue))") }
            case ("show", let names) where !names.isEmpty:
                for note in try await store.read(names, password: hasPassword ? line("password") : nil) { print(note) }
            case ("delete", let names) where names.count == 1:
                try await store.delete(names[0])
                print("deleted")
            default: end("usage: SecretNotes add|show|delete NAME [--password], or list", 2)
            }
        } catch LAError.userCancel {
            end("nothing is shown, then", 1)
        } catch let error as LAError {
            end("nobody has shown that it is you: \(error.localizedDescription)", 1)
        } catch {
            end("\(error)", 3)
        }
    }

    /// A note that asks for its owner could never be read where nobody is known to be that.
    private static func requireOwner() {
        var error: NSError?
        guard !LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: &error) else { return }
        end("such a note needs a passcode: \(error?.localizedDescription ?? "there is none")", 1)
    }

    private static func line(_ what: String) throws -> String {
        guard let line = readLine(), !line.isEmpty else { end("no \(what) on standard input", 2) }
        return line
    }

    private static func end(_ complaint: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data((complaint + "\n").utf8))
        exit(status)
    }
}
