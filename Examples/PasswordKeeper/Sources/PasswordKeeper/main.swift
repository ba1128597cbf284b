import Foundation

// PasswordKeeper set|get|delete ACCOUNT: a password to store comes from standard input, never from the command line,
// which every user of the machine can read.

let usage = "usage: PasswordKeeper set|get|delete ACCOUNT\n"
let keeper = PasswordKeeper(service: "org.example.password-keeper")

func complain(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
}

guard CommandLine.arguments.count == 3 else {
    complain(usage)
    exit(2)
}
let account = CommandLine.arguments[2]

do {
    switch CommandLine.arguments[1] {
    case "set":
        guard let password = readLine() else {
            complain("no password on standard input\n")
            exit(2)
        }
        try keeper.set(password, for: account)
        print("stored")
    case "get":
        guard let password = try keeper.get(for: account) else {
            print("not found")
            exit(1)
        }
        print(password)
    case "delete":
        guard try keeper.delete(for: account) else {
            print("not found")
            exit(1)
        }
        print("deleted")
    default:
        complain(usage)
        exit(2)
    }
} catch {
    complain("\(error)\n")
    exit(3)
}
