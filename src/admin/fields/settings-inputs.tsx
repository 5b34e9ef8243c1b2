import { Group, Input, SegmentedControl, Switch, TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import { readNumber, writeNumber } from './number/exact-number.ts'

interface NumberSettingProps {
  label?: string
  'aria-label'?: string
  description?: string
  placeholder?: string
  value: unknown
  onChange: (value: number | string | null) => void
  onBlur: () => void
  error: string | null
  readOnly: boolean
}

/**
 * An input for a number setting; full-width digits are accepted. Text that is not a number is passed on as text, so
 * that it stays in the input and its problem is reported.
 */
export function NumberSetting({ value, onChange, onBlur, ...props }: NumberSettingProps) {
  const [typed, setTyped] = useState(() => textOf(value))
  const shown = read(typed) === (value ?? null) ? typed : textOf(value)
  return (
    <TextInput
      {...props}
      inputMode="decimal"
      autoComplete="off"
      value={shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange(read(event.currentTarget.value))
      }}
      onBlur={() => {
        setTyped(textOf(read(shown)))
        onBlur()
      }}
    />
  )
}

function read(typed: string): number | string | null {
  const result = readNumber(typed)
  if (result.kind === 'empty') return null
  return result.kind === 'number' ? result.value : typed
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return writeNumber(value)
  return typeof value === 'string' ? value : ''
}

interface BoundsProps {
  /** The property names of the settings, lower bound first. */
  names: readonly [string, string]
  labels: readonly [string, string]
  placeholder: string
  settings: object
  onChange: (patch: Record<string, unknown>) => void
  onBlur: (property: string) => void
  problem: (property: string) => string | null
  readOnly: boolean
}

/** A lower and an upper bound side by side. */
export function BoundsSetting({ names, labels, placeholder, settings, ...props }: BoundsProps) {
  const values = settings as Record<string, unknown>
  return (
    <Group grow gap="sm" align="flex-start">
      {names.map((name, index) => (
        <NumberSetting
          key={name}
          label={labels[index] ?? name}
          placeholder={placeholder}
          value={values[name]}
          onChange={(value) => props.onChange({ [name]: value })}
          onBlur={() => {
            // The bounds depend on each other, so leaving one input validates both.
            for (const either of names) props.onBlur(either)
          }}
          error={props.problem(name)}
          readOnly={props.readOnly}
        />
      ))}
    </Group>
  )
}

interface ChoiceSettingProps<Value extends string> {
  label: string
  value: Value
  choices: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
  readOnly: boolean
}

/** A choice among a few values, all visible. */
export function ChoiceSetting<Value extends string>(props: ChoiceSettingProps<Value>) {
  const id = useId()
  return (
    <Input.Wrapper label={props.label} labelElement="div" labelProps={{ id }}>
      <SegmentedControl
        fullWidth
        aria-labelledby={id}
        value={props.value}
        data={[...props.choices]}
        readOnly={props.readOnly}
        onChange={(value) => props.onChange(value as Value)}
      />
    </Input.Wrapper>
  )
}

interface SwitchSettingProps {
  name?: string
  label: string
  description?: string
  checked: boolean
  onChange: (checked: boolean) => void
  error?: string | null
  readOnly: boolean
}

export function SwitchSetting({ onChange, readOnly, ...props }: SwitchSettingProps) {
  return (
    <Switch
      {...props}
      disabled={readOnly}
      onChange={(event) => onChange(event.currentTarget.checked)}
      styles={{ body: { justifyContent: 'flex-start' } }}
    />
  )
}
