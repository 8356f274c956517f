//! The drawing of the state.

use acp_client::sanitize::label;
use acp_client::v1::{PlanEntryStatus, UsageUpdate};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::app::{App, Phase, Question};
use super::lines;
use super::menu::{Item, Menu};
use crate::clean;

/// The most steps of a plan that are shown at once.
const PLAN: usize = 6;

/// The most characters of an item of a menu.
const LABEL: usize = 100;

/// The parts of the screen.
#[derive(Clone, Copy, Debug)]
pub struct Areas {
    /// The agent, the title, the mode.
    pub header: Rect,
    /// The conversation.
    pub conversation: Rect,
    /// The plan, if there is one.
    pub plan: Rect,
    /// The input line.
    pub input: Rect,
    /// The state of the agent.
    pub status: Rect,
}

/// Divides a screen of this size.
#[must_use]
pub fn areas(app: &App, screen: Rect) -> Areas {
    let steps = app.transcript.plan().map_or(0, |plan| plan.entries.len().min(PLAN));
    let plan = if steps == 0 { 0 } else { u16::try_from(steps).unwrap_or(0) + 2 };
    let [header, conversation, plan, input, status] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(plan),
        Constraint::Length(3),
        Constraint::Length(1),
    ])
    .areas(screen);
    Areas { header, conversation, plan, input, status }
}

/// Draws everything.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let areas = areas(app, frame.area());
    header(app, frame, areas.header);
    let lines = app.conversation.visible(usize::from(areas.conversation.height));
    frame.render_widget(Text::from(lines), areas.conversation);
    plan(app, frame, areas.plan);
    input(app, frame, areas.input);
    status(app, frame, areas.status);
    if let Some(asked) = app.questions.front() {
        question(app, asked, frame);
    } else if let Some(menu) = &app.settings {
        draw_box(menu, Vec::new(), frame);
    }
}

fn header(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let style = Style::new().add_modifier(Modifier::REVERSED);
    let title = app.transcript.title().map(|title| format!(" - {title}")).unwrap_or_default();
    let left = format!(" {}{title}", app.agent);
    let mode = app.transcript.mode().map_or("", |id| {
        let listed = app.modes.iter().find(|mode| mode.id == *id);
        listed.map_or(id.as_str(), |mode| &mode.name)
    });
    two_sided(&left, mode, style, frame, area);
}

fn plan(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let Some(plan) = app.transcript.plan() else { return };
    let done = plan.entries.iter().filter(|entry| entry.status == PlanEntryStatus::Completed).count();
    let title = format!(" Plan {done}/{} ", plan.entries.len());
    // Of a long plan, the current part is shown.
    let first = done.saturating_sub(1).min(plan.entries.len().saturating_sub(PLAN));
    let steps: Vec<Line<'_>> = lines::plan(plan).into_iter().skip(first).take(PLAN).collect();
    frame.render_widget(Paragraph::new(steps).block(Block::bordered().title(title)), area);
}

fn input(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let block = Block::bordered();
    let inside = block.inner(area);
    // One column is for the cursor behind the text.
    let scroll = app.input.visual_scroll(usize::from(inside.width.saturating_sub(1)));
    let text = Paragraph::new(app.input.value()).scroll((0, u16::try_from(scroll).unwrap_or(u16::MAX)));
    frame.render_widget(text.block(block), area);
    if app.questions.is_empty() && app.settings.is_none() {
        let column = u16::try_from(app.input.visual_cursor().saturating_sub(scroll)).unwrap_or(0);
        frame.set_cursor_position(Position::new(inside.x.saturating_add(column), inside.y));
    }
}

fn status(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let phase = match app.phase {
        Phase::Opening => "Starting the agent  Ctrl-C quits",
        Phase::Idle if app.conversation.below() == 0 => "Enter sends  Tab settings  Ctrl-C quits",
        Phase::Idle => "PgDn to the end",
        Phase::Running => "Working  Esc stops",
        Phase::Cancelling => "Stopping  Ctrl-C quits",
        Phase::Closed => "Ctrl-C quits",
    };
    let commands = commands(app);
    let left = match &app.notice {
        _ if !commands.is_empty() => commands,
        Some(notice) if app.phase == Phase::Idle => notice.clone(),
        Some(notice) => format!("{notice}  {phase}"),
        None => phase.to_owned(),
    };
    let below = match app.conversation.below() {
        0 => None,
        lines => Some(format!("{lines} lines below")),
    };
    let usage = app.transcript.usage().map(usage);
    let right: Vec<String> = below.into_iter().chain(usage).collect();
    let style = Style::new().fg(Color::DarkGray);
    two_sided(&format!(" {left}"), &right.join("  "), style, frame, area);
}

/// Draws the agent's commands that begin like the input.
fn commands(app: &App) -> String {
    let Some(typed) = app.input.value().strip_prefix('/') else { return String::new() };
    let fitting = app.transcript.commands().iter().filter(|command| command.name.starts_with(typed));
    let fitting: Vec<String> = fitting.map(|command| format!("/{}", command.name)).collect();
    fitting.join("  ")
}

fn usage(usage: &UsageUpdate) -> String {
    let cost = usage.cost.as_ref();
    let cost = cost.map(|cost| format!(", {:.2} {}", cost.amount, cost.currency)).unwrap_or_default();
    format!("{} of {} tokens{cost}", usage.used, usage.size)
}

/// Draws a permission request: its subject, as far as there is room, and the answers.
fn question(app: &App, question: &Question, frame: &mut Frame<'_>) {
    let screen = frame.area();
    let width = usize::from(screen.width.saturating_sub(8));
    let room = usize::from(screen.height).saturating_sub(question.menu.items.len() + 5);
    let run = app.transcript.tool_call(&question.request.tool_call.tool_call_id);
    let about = run.map(|run| [lines::tool_call(run, width), lines::about(&run.call, width)].concat());
    let about = about.unwrap_or_default();
    let mut about = lines::shortened(about, room.max(1));
    about.push(Line::default());
    draw_box(&question.menu, about, frame);
}

/// Draws a menu in the middle of the screen, below these lines.
fn draw_box(menu: &Menu, mut lines: Vec<Line<'static>>, frame: &mut Frame<'_>) {
    let selected = lines.len() + menu.selected;
    lines.extend(menu.items.iter().enumerate().map(|(place, item)| self::item(item, place == menu.selected)));
    let title = format!(" {}: Up, Down, Enter, Esc ", menu.title);
    let widest = lines.iter().map(Line::width).max().unwrap_or_default().max(title.chars().count());
    let (width, height) = (count(widest).saturating_add(4), count(lines.len()).saturating_add(2));
    let area = frame.area().centered(Constraint::Max(width), Constraint::Max(height));
    let block = Block::bordered().title(title).padding(ratatui::widgets::Padding::horizontal(1));
    // If there is not enough room, the part with the selected item is shown.
    let room = usize::from(area.height.saturating_sub(2));
    let scroll = count((selected + 1).saturating_sub(room));
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).scroll((scroll, 0)).block(block), area);
}

fn item(item: &Item, is_selected: bool) -> Line<'static> {
    let mark = if is_selected { "> " } else { "  " };
    let current = if item.is_current { " *" } else { "" };
    let style = if is_selected { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    Line::styled(format!("{mark}{}{current}", label(&item.label, LABEL)), style)
}

fn two_sided(left: &str, right: &str, style: Style, frame: &mut Frame<'_>, area: Rect) {
    let line = |text: String| Line::from(Span::raw(clean(&text).replace('\n', " ")));
    let right = line(if right.is_empty() { String::new() } else { format!(" {right} ") });
    let [start, end] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(count(right.width()))]).areas(area);
    frame.render_widget(Paragraph::new(line(left.to_owned())).style(style), start);
    frame.render_widget(Paragraph::new(right).style(style).alignment(Alignment::Right), end);
}

fn count(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
