import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Shared programs that the machine's administrator added to the built-in ones.
///
/// The file's status is checked for each connection, and the file is read again when it changed. The file can only add
/// programs: a defect in it takes nothing from the built-in list. Only root may be able to write it, because its
/// content decides what other users are told about programs.
package final class AddedInterpreters: Sendable {
    /// A constant: with a variable, whoever starts the daemon could choose the file.
    static let path = "/etc/chatelaine/interpreters"

    /// The result of reading the file, for `security doctor`.
    package struct Report: Equatable, Sendable {
        /// The number of names and paths that count.
        package let count: Int
        /// The defect of the file, as a sentence.
        package let defect: String?
    }

    private struct Reading {
        let content: FileStatus.Content
        let list: InterpreterList?
    }

    private let path: String
    private let system: IdentitySystemCalls
    private let last = AdaptiveMutex<Reading?>(nil)

    init(path: String = AddedInterpreters.path, system: IdentitySystemCalls) {
        self.path = path
        self.system = system
    }

    func contains(_ program: CanonicalPath) -> Bool { (try? current())?.contains(program) == true }

    /// Nil if there is no such file.
    package var report: Report? {
        do throws(Defect) {
            guard let list = try current() else { return nil }
            return Report(
                count: list.stems.count + list.paths.count,
                defect: list.badLine.map {
                    "line \($0) of \(path) is neither a program's name nor its absolute path; the others count"
                })
        } catch { return Report(count: 0, defect: "\(path) is not used: \(error.reason)") }
    }

    private struct Defect: Error { let reason: String }

    /// The current list, or nil if there is no file.
    private func current() throws(Defect) -> InterpreterList? {
        guard let place = CanonicalPath(path) else { return nil }
        // Nearly every machine has no such file, and one call shows that. The walk reports any other error.
        do throws(Errno) { _ = try system.files.open(path, in: AT_FDCWD, .look) } catch .notFound { return nil } catch {
        }
        let file: CanonicalFile
        do throws(Errno) { file = try CanonicalFile(at: place, system: system) } catch .notFound { return nil } catch {
            throw Defect(reason: error == .notFolder ? "a symbolic link leads to it" : "\(error)")
        }
        guard file.status.isRegular else { throw Defect(reason: "it is no regular file") }
        guard file.isRootOnly else {
            throw Defect(reason: "it, or a folder above it, is not root's alone, or others may write it")
        }
        guard file.status.size <= InterpreterList.longestFile else {
            throw Defect(reason: "it is longer than \(InterpreterList.longestFile >> 10) KiB")
        }
        let list: InterpreterList?
        do throws(Errno) { list = try read(file) } catch { throw Defect(reason: "\(error)") }
        guard let list else { throw Defect(reason: "it has more than \(InterpreterList.mostLines) lines") }
        return list
    }

    private func read(_ file: borrowing CanonicalFile) throws(Errno) -> InterpreterList? {
        let content = file.status.content
        if let known = last.withLock({ $0 }), known.content == content { return known.list }
        let opened = try system.files.open("/proc/self/fd/\(file.descriptor.number)", in: AT_FDCWD, .readThrough)
        let bytes = try system.files.contents(of: opened.number, limit: InterpreterList.longestFile)
        let list = InterpreterList(bytes)
        // A file that is being written is not cached, so the next call reads it again.
        if try system.files.knownStatus(of: opened.number).content == content {
            last.withLock { $0 = Reading(content: content, list: list) }
        }
        return list
    }
}
