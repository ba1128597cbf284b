import Foundation
import ManualPages

// Writes manual pages and completions below the source folder, which is the one argument.
guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: generate-pages FOLDER\n".utf8))
    exit(2)
}
let root = URL(fileURLWithPath: CommandLine.arguments[1])
do {
    for (path, text) in try ManualPages(root: root).files() {
        let file = root.appendingPathComponent(path)
        // An unchanged file keeps its date.
        if (try? String(contentsOf: file, encoding: .utf8)) == text { continue }
        try text.write(to: file, atomically: true, encoding: .utf8)
        print(path)
    }
} catch {
    FileHandle.standardError.write(Data("generate-pages: \(error)\n".utf8))
    exit(1)
}
