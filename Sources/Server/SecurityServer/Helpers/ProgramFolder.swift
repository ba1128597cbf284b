import ChatelaineSystem

/// The folder of the running executable.
enum ProgramFolder {
    /// The path without a final slash; `/` where `/proc` does not show it.
    static let ofThisProcess = RealPath.folderOfThisProgram ?? "/"
}
