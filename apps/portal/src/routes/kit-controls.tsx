/** Buttons and inputs of the kit. */
import { Ellipsis, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button, type ButtonSize, type ButtonVariant, IconButton } from '#ui/button.tsx'
import { Checkbox, Radio, SelectField, TextField } from '#ui/field.tsx'
import { Meter, ProgressBar } from '#ui/meter.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'
import { Slider } from '#ui/slider.tsx'
import { Row, Section } from '#routes/kit-section.tsx'

const variants: readonly ButtonVariant[] = ['primary', 'secondary', 'green', 'danger', 'ghost', 'link']
const sizes: readonly ButtonSize[] = ['md', 'sm', 'xs']

/** Every kind of button in every size. */
export function KitButtons() {
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

/** Every field, with what it looks like when something is wrong, and what shows an amount. */
export function KitInputs() {
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
