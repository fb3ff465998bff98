//! Following a log that is rotated under our eyes: which bytes are new, and which lines they make.
//!
//! Sans-I/O. The shell stats and reads; this module says what to read ([`decide`]) and cuts it into
//! lines ([`assemble`]). All that must survive a restart is in the [`Cursor`], so a restart at any
//! point equals no restart. One look works like this:
//!
//! 1. The shell describes the file under the log's name and, when the cursor does not
//!    [continue](Cursor::continues) there, the older files beside it ([`older_name`]), as [`Facts`].
//! 2. [`decide`] returns a [`Plan`]: perhaps a [`Gap`] (lines may be lost), then files to read in order.
//! 3. For each [`Step`] the shell reads from `step.cursor.offset`, feeds [`assemble`] and keeps the cursor
//!    if it [`adopts`] it; after the last step it [`settle`]s.
//!
//! A file is recognised by its content (hashes of its beginning and of the last bytes consumed), because
//! inode numbers are reused and copies and compressed files have others. A rotated file stays open for
//! its writer until the writer reopens; so it is left only when its successor holds something, and only
//! then is a last line without newline taken as complete.
//!
//! Not seen: lines written between the copy and the truncation of `copytruncate`, and a file that is
//! replaced by one with the same beginning and the same bytes before the offset. Not done here: reading
//! dates, matching rules, decompression.

mod assemble;
mod cursor;
mod decide;
mod kmsg;
mod names;

pub use assemble::{Ending, Line, MAX_LINE, assemble};
pub use cursor::{Cursor, FileId, Print, Probe};
pub use decide::{FIRST_LOOK_BYTES, Facts, Gap, GapCause, Older, Plan, Step, Which, adopts, decide, settle};
pub use kmsg::{KernelRecord, parse_record};
pub use names::{Compression, OlderName, older_name};
