import Foundation
import TestSupport
import Testing

/// Tests that every test named in Documentation/behaviour exists, and every line of those pages that a comment names.
struct BehaviourPagesTests {
    private static let folder = "Documentation/behaviour"

    private struct File {
        /// The path relative to the listed folder.
        let path: String
        let text: String
    }

    /// A numbered line of a page.
    private struct Rule {
        let page: String
        let number: Int
        /// The last cell: names of tests, or a dash.
        let cell: String
        let tests: [String]
    }

    private static func files(below folder: String, _ endings: [String]) throws -> [File] {
        let start = Repository.root.appendingPathComponent(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: start.path)
            .filter { path in !path.contains(".build/") && endings.contains { path.hasSuffix(".\($0)") } }
            .map { path in
                let text = try String(contentsOf: start.appendingPathComponent(path), encoding: .utf8)
                return File(path: path, text: text)
            }
    }

    private static func rules() throws -> [Rule] {
        let line = #/\| (\d+) \|.*\|([^|]*)\|/#
        let name = #/`([^`]+)`/#
        var rules: [Rule] = []
        for page in try files(below: folder, ["md"]) {
            for text in page.text.split(separator: "\n") {
                guard let match = text.wholeMatch(of: line), let number = Int(match.1) else { continue }
                let cell = String(match.2)
                let tests = cell.matches(of: name).map { String($0.1) }
                rules.append(Rule(page: page.path, number: number, cell: cell, tests: tests))
            }
        }
        return rules
    }

    /// The names that a page may use: Swift tests, files in Tests, and functions of C files there.
    private static func tests() throws -> Set<String> {
        let suite = #/(?:struct|class|extension) (\w+Tests)\b/#
        let function = #/func (\w+)/#
        let functionInC = #/void (test_\w+)\(/#
        var names: Set<String> = []
        for file in try files(below: "Tests", ["swift", "c", "py", "sh", "txt"]) {
            names.insert(file.path)
            var current = ""
            var isTest = false
            for line in file.text.split(separator: "\n") {
                if let match = line.firstMatch(of: functionInC) { names.insert("\(file.path):\(match.1)") }
                if line.contains("Tests"), let match = line.firstMatch(of: suite) { current = String(match.1) }
                if line.contains("@Test") { isTest = true }
                if isTest, let match = line.firstMatch(of: function) {
                    names.insert("\(current).\(match.1)")
                    isTest = false
                }
            }
        }
        return names
    }

    @Test func everyTestThatAPageNamesExists() throws {
        let tests = try Self.tests()
        let rules = try Self.rules()
        #expect(rules.count > 300)
        for rule in rules {
            let hasAnswer = rule.cell.contains("–") != !rule.tests.isEmpty
            #expect(hasAnswer, "\(rule.page), \(rule.number) wants the names of its tests, or a dash")
            for name in rule.tests {
                #expect(tests.contains(name), "\(rule.page), \(rule.number): there is no test \(name)")
            }
        }
    }

    @Test func everyNumberIsUsedOnce() throws {
        for (page, rules) in try Dictionary(grouping: Self.rules(), by: { $0.page }) {
            let numbers = rules.map { $0.number }
            #expect(Set(numbers).count == numbers.count, "\(page) has a number twice")
        }
    }

    @Test func everyLineThatIsCitedExists() throws {
        let rules = try Dictionary(grouping: Self.rules(), by: { $0.page })
        let citation = #/behaviour/([a-z-]+\.md)(?:, (\d+)(?: (?:to|and) (\d+))?)?/#
        var count = 0
        for folder in ["Sources", "Tests"] {
            for file in try Self.files(below: folder, ["swift", "c", "h"]) where file.text.contains("behaviour/") {
                for match in file.text.matches(of: citation) {
                    count += 1
                    let numbers = rules[String(match.1)].map { Set($0.map { $0.number }) }
                    #expect(numbers != nil, "\(folder)/\(file.path): there is no page \(match.1)")
                    for number in [match.2, match.3].compactMap({ $0.flatMap { Int($0) } }) {
                        let isThere = numbers?.contains(number) == true
                        #expect(isThere, "\(folder)/\(file.path) cites \(match.0), which is no line")
                    }
                }
            }
        }
        #expect(count > 60)
    }
}
