/** Every piece of the interface in every state, on one page. It exists in development only. */
import { Ellipsis, Pencil, Play, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { addToast } from '#lib/toasts.ts'
import { KitCharts, KitTabs, KitToasts } from '#routes/kit-charts.tsx'
import { KitRows } from '#routes/kit-rows.tsx'
import { Badge, badgeVariants } from '#ui/badge.tsx'
import { Brand } from '#ui/brand.tsx'
import { Button, type ButtonSize, type ButtonVariant, IconButton } from '#ui/button.tsx'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { CodeInput } from '#ui/code-input.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { Checkbox, Radio, SelectField, TextField } from '#ui/field.tsx'
import { FilterMenu } from '#ui/filter-bar.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuLine } from '#ui/menu-entries.tsx'
import { Meter, ProgressBar } from '#ui/meter.tsx'
import { Note } from '#ui/note.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'
import { Pager } from '#ui/pager.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'
import { Severity, SeverityNumber, severityLevels } from '#ui/severity.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Slider } from '#ui/slider.tsx'
import { EmptyState } from '#ui/states.tsx'
import { AgentStatus, IssueStatus, ScanStatus } from '#ui/status.tsx'
import { Stepper } from '#ui/stepper.tsx'

const variants: readonly ButtonVariant[] = ['primary', 'secondary', 'green', 'danger', 'ghost', 'link']
const sizes: readonly ButtonSize[] = ['md', 'sm', 'xs']
const token = 'gla_7Qm2xVd9_kT4hWcE0sLr8ZpNyB3uF6jA'

export function KitPage() {
  useDocumentTitle('Interface kit')
  return (
    <main className="mx-auto max-w-[1360px] px-10 pt-8 pb-14 max-md:px-4">
      <div className="mb-2 flex items-center gap-2">
        <Brand />
        <h1 className="text-ink-3">Interface kit</h1>
      </div>
      <Buttons />
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
      <Inputs />
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

function Buttons() {
  const [period, setPeriod] = useState<'week' | 'month'>('month')
  return (
    <Section title="Buttons">
      {sizes.map((size) => (
        <Row key={size}>
          {variants.map((variant) => (
            <Button key={variant} variant={variant} size={size}>
              {variant}
            </Button>
          ))}
        </Row>
      ))}
      <Row>
        <Button variant="primary" loading>
          Saving
        </Button>
        <Button disabled>Disabled</Button>
        <Button variant="primary" icon={<Plus />}>
          New target
        </Button>
        <IconButton variant="secondary" label="More actions" icon={<Ellipsis />} />
        <SegmentedControl
          label="Period"
          value={period}
          onChange={setPeriod}
          options={[
            { value: 'week', label: 'Week' },
            { value: 'month', label: 'Month' },
          ]}
        />
      </Row>
    </Section>
  )
}

function Inputs() {
  const [targets, setTargets] = useState(40)
  return (
    <Section title="Inputs">
      <div className="grid gap-5 md:grid-cols-3">
        <TextField label="Default" placeholder="www.example.com" hint="Host name, address or range" optional />
        <TextField label="Error" state="error" defaultValue="10.61.0.0/33" messages={['Not a valid range']} />
        <TextField label="Success" state="success" defaultValue="10.61.0.0/24" messages={['256 addresses']} />
        <TextField label="Password" type="password" defaultValue="correct horse" />
        <TextField label="Disabled" disabled defaultValue="Set by your administrator" />
        <SelectField label="Select">
          <option>Daily</option>
          <option>Weekly</option>
        </SelectField>
      </div>
      <Row>
        <Checkbox label="Unchecked" />
        <Checkbox label="Checked" defaultChecked />
        <Checkbox label="Mixed" mixed />
        <Radio name="kit" label="Off" />
        <Radio name="kit" label="On" defaultChecked />
      </Row>
      <div className="grid max-w-md gap-4">
        <Slider label="Targets" value={targets} onChange={setTargets} />
        <Meter label="Targets used" value={targets} max={100} />
        <ProgressBar label="Hosts scanned" value={targets} max={100} />
        <ProgressBar label="Scan" />
      </div>
    </Section>
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

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid gap-6 border-t border-line py-6 md:grid-cols-[180px_minmax(0,1fr)]">
      <h2 className="text-13 font-semibold">{title}</h2>
      <div className="grid min-w-0 gap-3">{children}</div>
    </section>
  )
}

function Row({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-x-5 gap-y-2.5">{children}</div>
}
