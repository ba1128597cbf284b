import AgentProtocol
import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Dialogs about file keychains and their items.
extension DialogAgentTests {
    /// A dialog about an item of a file keychain.
    func dialog(_ kind: DialogKind, _ grants: [DialogGrant]) -> Dialog {
        var dialog = dialog(kind)
        var access = DialogAccess(
            grants.contains(.everywhere) ? .changed : .notListed, DialogProgram(identifier: "ABCDE12345.editor"),
            by: .either)
        access.grants = grants
        access.parent = "/usr/bin/bash"
        if kind == .keychainSecret { access.chosen = grants.last }
        (dialog.item, dialog.keychain, dialog.access) = ("mail", "login", access)
        return dialog
    }

    /// A choice alone allows nothing. The field follows in a dialog with two buttons.
    @Test(arguments: flavours)
    func anItemOfAFileKeychain(_ pinentry: String) throws {
        let isCurses = pinentry.hasSuffix("curses")
        for (keys, letter, reply) in [
            ("\r", "o", DialogReply.once), ("\t\r", "a", .always), ("\t\t\r", "d", .denied),
        ] {
            let agent = try AgentRun(pinentry)
            try agent.show(dialog(.keychainAccess, [.once, .always]))
            try terminal.expect("ABCDE12345.editor")
            try terminal.expect("mail")
            try terminal.expect("login")
            try terminal.expect(isCurses ? "<Always allow>" : "[oda]?")
            _ = terminal.settle()
            try terminal.type(isCurses ? keys : letter)
            #expect(try agent.reply() == reply, "\(keys.debugDescription)")
            #expect(agent.typed() == "")
            if reply == .always {
                try agent.show(dialog(.keychainSecret, [.once, .always]))
                try terminal.expect("“Always allow”: the password")
                try terminal.expect("Password or passcode:")
                #expect(!terminal.settle().contains("From now on"))
                try terminal.type("code\r")
                #expect(try agent.reply() == .typed)
                #expect(agent.typed() == "code")
            }
            agent.end()
            #expect(terminal.echoes)
        }
    }

    /// One more answer needs one more dialog.
    @Test(arguments: flavours)
    func anItemWhoseProgramHasChanged(_ pinentry: String) throws {
        let isCurses = pinentry.hasSuffix("curses")
        for (keys, letter, reply) in [
            ("\r", "a", DialogReply.always), ("\t\r", "c", .everywhere), ("\t\t\r", "d", .denied),
        ] {
            let agent = try AgentRun(pinentry)
            try agent.show(dialog(.keychainAccess, DialogGrant.allCases))
            try terminal.expect("its file has changed")
            try terminal.expect(isCurses ? "<From now on>" : "[odf]?")
            _ = terminal.settle()
            try terminal.type(isCurses ? "\t\r" : "f")
            try terminal.expect(isCurses ? "<Change all>" : "[adc]?")
            _ = terminal.settle()
            try terminal.type(isCurses ? keys : letter)
            #expect(try agent.reply() == reply, "\(keys.debugDescription)")
            agent.end()
        }
    }

    /// An empty field means no, and Deny takes effect at once.
    @Test(arguments: flavours)
    func denyNeedsNothing(_ pinentry: String) throws {
        let agent = try AgentRun(pinentry)
        try agent.show(dialog(.keychainSecret, [.once]))
        try terminal.expect("You will be asked each time.")
        try terminal.expect("Password or passcode:")
        _ = terminal.settle()
        try terminal.type("\r")
        #expect(try agent.reply() == .denied)
        agent.end()
        let other = try AgentRun(pinentry)
        try other.show(dialog(.keychainAccess, DialogGrant.allCases))
        try terminal.expect(pinentry.hasSuffix("curses") ? "<From now on>" : "[odf]?")
        _ = terminal.settle()
        try terminal.type(pinentry.hasSuffix("curses") ? "\t\t\r" : "d")
        #expect(try other.reply() == .denied)
        other.end()
        #expect(terminal.echoes)
    }

    @Test(arguments: flavours)
    func aKeychainsPassword(_ pinentry: String) throws {
        for (kind, purpose, prompt) in [
            (DialogKind.password, DialogPurpose.unlock, "Password of the keychain:"),
            (.newPassword, .createKeychain, "New password:"),
        ] {
            var dialog = dialog(kind)
            (dialog.purpose, dialog.keychain, dialog.hasPasscode) = (purpose, "login", false)
            let agent = try AgentRun(pinentry)
            try agent.show(dialog)
            try terminal.expect("Keychain: “login”")
            try terminal.expect(prompt)
            _ = terminal.settle()
            try terminal.type("horse\r")
            if kind == .newPassword {
                try terminal.expect("The same again:")
                _ = terminal.settle()
                try terminal.type("horse\r")
            }
            #expect(try agent.reply() == .typed)
            #expect(agent.typed() == "horse")
            agent.end()
        }
    }
}
