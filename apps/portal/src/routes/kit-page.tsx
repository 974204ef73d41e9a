/** Every piece of the interface in every state, on one page. It exists in development only. */
import { Pencil, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { addToast } from '#lib/toasts.ts'
import { KitCharts, KitTabs, KitToasts } from '#routes/kit-charts.tsx'
import { KitButtons, KitInputs } from '#routes/kit-controls.tsx'
import { KitRows } from '#routes/kit-rows.tsx'
import { Row, Section } from '#routes/kit-section.tsx'
import { Badge, badgeVariants } from '#ui/badge.tsx'
import { Brand } from '#ui/brand.tsx'
import { Button } from '#ui/button.tsx'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { CodeInput } from '#ui/code-input.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { FilterMenu } from '#ui/filter-bar.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuLine } from '#ui/menu-entries.tsx'
import { Note } from '#ui/note.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'
import { Pager } from '#ui/pager.tsx'
import { Severity, SeverityNumber, severityLevels } from '#ui/severity.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { AgentStatus, IssueStatus, ScanStatus } from '#ui/status.tsx'
import { Stepper } from '#ui/stepper.tsx'

const token = 'gla_7Qm2xVd9_kT4hWcE0sLr8ZpNyB3uF6jA'

export function KitPage() {
  useDocumentTitle('Interface kit')
  return (
    <main className="mx-auto max-w-[1360px] px-10 pt-8 pb-14 max-md:px-4">
      <div className="mb-2 flex items-center gap-2">
        <Brand />
        <h1 className="text-ink-3">Interface kit</h1>
      </div>
      <KitButtons />
      <Section title="Severity">
        <Row>
          {[...severityLevels, 'none' as const].map((level) => (
            <Severity key={level} level={level} />
          ))}
        </Row>
        <Row>
          {severityLevels.map((level, index) => (
            <SeverityNumber key={level} level={level} count={[4, 11, 19, 0][index] ?? 0} />
          ))}
        </Row>
      </Section>
      <Section title="Status">
        <Row>
          <IssueStatus status="STATUS_OPEN" />
          <IssueStatus status="STATUS_RESOLVED" />
          <IssueStatus status="STATUS_IGNORED" />
          <IssueStatus status="STATUS_REGRESSION" />
        </Row>
        <Row>
          <ScanStatus status="STATUS_CREATED" />
          <ScanStatus status="STATUS_RUNNING" />
          <ScanStatus status="STATUS_COMPLETED" />
          <ScanStatus status="STATUS_CANCELLED" />
          <ScanStatus status="STATUS_FAILED" />
        </Row>
        <Row>
          <AgentStatus status="STATUS_CONNECTED" />
          <AgentStatus status="STATUS_DISCONNECTED" />
        </Row>
      </Section>
      <Section title="Badges">
        <Row>
          {badgeVariants.map((variant) => (
            <Badge key={variant} variant={variant}>
              {variant}
            </Badge>
          ))}
        </Row>
        <Row>
          <Badge small variant="red">
            KEV
          </Badge>
          <Badge small variant="purple">
            Regressed
          </Badge>
          <Badge variant="orange">unverified</Badge>
        </Row>
      </Section>
      <KitInputs />
      <Section title="Copy field and code entry">
        <div className="grid gap-5 md:grid-cols-2">
          <CopyField label="token" value={token} />
          <CodeInput label="Verification code" initially="481" />
        </div>
      </Section>
      <Floating />
      <Section title="Toasts">
        <KitToasts />
      </Section>
      <Section title="Tabs">
        <KitTabs />
      </Section>
      <Section title="Charts">
        <KitCharts />
      </Section>
      <Section title="Notes">
        <div className="grid gap-2">
          <Note>A scan of DMZ Bern is already running.</Note>
          <Note variant="orange">lausanne-dc lost its connection 41 minutes ago.</Note>
          <Note variant="red">Not a valid range.</Note>
          <Note variant="green">zrh-office-1 is connected.</Note>
        </div>
      </Section>
      <Section title="Tables and text">
        <KitRows />
      </Section>
      <Section title="Waiting and empty">
        <Skeleton className="w-1/2" />
        <EmptyState title="No scans yet" actions={<Button size="sm">Start scan</Button>}>
          Each scan of a target stands here with its report.
        </EmptyState>
        <Pager from={1} shown={25} total={43} size={25} onSize={() => {}} onNext={() => {}} />
      </Section>
    </main>
  )
}

function Floating() {
  const [open, setOpen] = useState<'dialog' | 'panel'>()
  const [chosen, setChosen] = useState<readonly ('daily' | 'weekly')[]>(['weekly'])
  const close = () => setOpen(undefined)
  return (
    <Section title="Card, menu, dialog, toast">
      <div className="grid items-start gap-7 md:grid-cols-[340px_1fr]">
        <Card title="Details">
          <Facts className="px-4">
            <Fact name="Address">
              <span className="font-mono">192.0.2.0/24</span>
            </Fact>
            <Fact name="Agent">
              <AgentStatus status="STATUS_CONNECTED">bern-dmz-1</AgentStatus>
            </Fact>
          </Facts>
        </Card>
        <Row>
          <Menu button="Actions">
            <MenuAction icon={<Pencil />} onClick={() => {}}>
              Edit
            </MenuAction>
            <MenuAction icon={<Play />} onClick={() => {}}>
              Start scan
            </MenuAction>
            <MenuLine />
            <MenuAction icon={<Trash2 />} danger onClick={() => {}}>
              Delete target
            </MenuAction>
          </Menu>
          <FilterMenu
            label="Schedule"
            many
            chosen={chosen}
            onChange={setChosen}
            options={[
              { value: 'daily', label: 'Daily' },
              { value: 'weekly', label: 'Weekly' },
            ]}
          />
          <Button onClick={() => setOpen('dialog')}>Dialog</Button>
          <Button onClick={() => setOpen('panel')}>Slide-over</Button>
          <Button onClick={() => addToast('success', { title: 'Success', message: 'A passkey was added.' })}>
            Success
          </Button>
          <Button onClick={() => addToast('error', { title: 'API failure', message: 'Bad Gateway: upstream closed.' })}>
            Failure
          </Button>
        </Row>
        <Stepper
          label="Set-up"
          steps={[
            { title: 'Add a target', state: 'done' },
            { title: 'Run the first scan', detail: 'Takes some minutes', state: 'current' },
            { title: 'Get notified', state: 'open' },
          ]}
        />
      </div>
      <Dialog
        open={open === 'dialog'}
        onClose={close}
        title="Delete target"
        footer={<Button onClick={close}>Cancel</Button>}
      >
        Its scans stop and its risks are closed.
      </Dialog>
      <SlideOver
        open={open === 'panel'}
        onClose={close}
        title="New target"
        footer={<Button onClick={close}>Cancel</Button>}
      >
        <TextField label="Name" />
      </SlideOver>
    </Section>
  )
}
