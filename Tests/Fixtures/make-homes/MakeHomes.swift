import Foundation

/// Makes homes of both daemons in many states, for tests of later versions.
///
///     make-homes FOLDER [NAME]
///
/// Each home, or the one named NAME, gets a folder of its name in FOLDER, with its files and `expected.json`. The
/// folder must not exist yet.
@main
enum MakeHomes {
    static func main() throws {
        guard [2, 3].contains(CommandLine.arguments.count) else {
            FileHandle.standardError.write(Data("usage: make-homes FOLDER [NAME]\n".utf8))
            exit(2)
        }
        let destination = URL(fileURLWithPath: CommandLine.arguments[1])
        let work = FileManager.default.temporaryDirectory.appendingPathComponent("make-homes-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: work) }
        let name = CommandLine.arguments.dropFirst(2).first
        for recipe in Recipe.all where name == nil || recipe.name == name {
            let home = work.appendingPathComponent(recipe.name)
            let maker = try Maker(home.path, about: recipe.about)
            try recipe.make(maker)
            let expected = maker.finished()
            try? FileManager.default.removeItem(atPath: maker.database + "-shm")
            try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: home, to: destination.appendingPathComponent(recipe.name))
            try expected.write(to: destination.appendingPathComponent(recipe.name))
        }
    }
}
