import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import SecurityTool

/// Tests of rules for all JSON that the command writes.
struct JSONShapeTests {
    private static let commands = [
        ["status"], ["state"], ["passcode", "status"], ["doctor"], ["check"], ["app", "list"], ["app", "forget", "/x"],
        ["snapshot", "list"],
        ["snapshot", "create"], ["snapshot", "restore", "20261121T083000Z-1"], ["snapshot", "purge", "--all"],
        ["item", "find", "--all", "--secret"], ["item", "find", "-a", "anna"],
        ["item", "find", "--server", "example.org"],
        ["item", "add", "-s", "x", "--no-secret", "--access-control", "userPresence"],
        ["item", "list"], ["item", "add", "-s", "x", "--no-secret", "--generic", "hex:00", "--invisible"],
        ["item", "add", "--server", "x", "--no-secret", "--port", "text:x", "--protocol", "int:7", "-a", "int:7"],
        ["item", "show", "-a", "anna"], ["acl", "list"],
        ["acl", "revoke", "/srv/gone", "--keychain", "a", "--keep-partitions"],
        ["item", "update", "-s", "mail", "--all", "--set", "label=x"], ["item", "delete", "-s", "mail", "--all"],
    ]

    private static func type(of value: Any) -> String {
        switch value {
        case let number as NSNumber: String(cString: number.objCType) == "c" ? "boolean" : "number"
        case is String: "text"
        case is [Any]: "array"
        case is [String: Any]: "object"
        default: "null"
        }
    }

    private static func visit(_ value: Any, _ see: (String, Any) -> Void) {
        if let array = value as? [Any] { for element in array { visit(element, see) } }
        guard let object = value as? [String: Any] else { return }
        for (key, value) in object {
            see(key, value)
            visit(value, see)
        }
    }

    @Test func keysAreOfOneStyleAndValuesOfOneType() throws {
        var types: [String: String] = [:]
        for words in Self.commands {
            let run = ToolRun(words + ["--json"])
            let parsed = try JSONSerialization.jsonObject(with: Data(run.output))
            Self.visit(parsed) { key, value in
                let isStyled =
                    key.first?.isLowercase == true && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
                #expect(isStyled, "\(key) in \(words)")
                let type = Self.type(of: value)
                #expect(types[key, default: type] == type, "\(key) in \(words)")
                types[key] = type
            }
        }
        #expect(types["accountNumber"] == "number" && types["account"] == "text" && types["genericHex"] == "text")
        #expect(types["port"] == "number" && types["portText"] == "text" && types["protocolNumber"] == "number")
        #expect(types["invisible"] == "boolean" && types["synchronizable"] == "boolean")
    }

    /// Values for programs are single words; sentences are for people.
    @Test func whatIsChosenFromAListIsOneWord() throws {
        for words in [["snapshot", "list"], ["app", "list"], ["check"]] {
            let parsed = try JSONSerialization.jsonObject(with: Data(ToolRun(words + ["--json"]).output))
            Self.visit(parsed) { key, value in
                guard ["why", "state", "now"].contains(key), let text = value as? String else { return }
                #expect(text.allSatisfy { $0.isASCII && $0.isLetter }, "\(key): \(text)")
            }
        }
    }
}
