import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security app adopt`: moves the items that a program stored before it was signed to its identifier
/// (behaviour/access-groups.md).
struct AppAdoptCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt", abstract: "Moves what a program stored before it was signed to its identifier.",
        usage: "security app adopt path [--return] [--json] [--stdin|--descriptor n]",
        discussion:
            "The program is signed and is the very file that stored the items. All of them are moved, or none. Where there is a passcode, it is asked for. "
            + "Keys of the enclave that the program keeps itself are no items and are not moved: it makes others."
    )

    @Argument(help: "The executable.", completion: .file())
    var path: String
    @Flag(name: .customLong("return"), help: "Move the items of its identifier back to the program by its path.")
    var isReturn = false
    @Flag(name: .long, help: "One object.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let path = try ApplicationPath.absolute(path, mustExist: true)
        let report = try context.keychain.adopt(
            AdoptItems(path: path, isReturn: isReturn), passcode: try source.guarding(in: context))
        guard json else {
            let items = Quantity.count(Int(report.items), "item")
            try context.output.write("\(items) moved to \(Printable.text(report.group.name))\n")
            return ExitStatus.success
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("items")
        writer.value(report.items)
        writer.key("from")
        writer.value(report.former.name)
        writer.key("to")
        writer.value(report.group.name)
        writer.endObject()
        writer.end()
        try writer.flush(to: context.output)
        return ExitStatus.success
    }
}
