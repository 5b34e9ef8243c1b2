import { ActionIcon, Button, Input, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { webhookLimits } from '#shared/contract/webhooks.ts'
import classes from '../webhooks.module.css'
import { type HeaderIssue, headerInputName, readHeaderIssue } from './header-issue.ts'
import type { HeaderRow } from './values.ts'

interface HeadersInputProps {
  value: HeaderRow[]
  onChange: (headers: HeaderRow[]) => void
  /** The message of the form, see `writeHeaderIssue`. */
  error: string | null
  /** Whether the URL has changed, so that stored secrets have to be entered again. */
  isElsewhere: boolean
}

/** Rows of headers. Secret values are stored encrypted and never shown again. */
export function HeadersInput({ value: rows, onChange, error, isElsewhere }: HeadersInputProps) {
  const t = useTranslations('webhooks.form.headers')
  const issue = error === null ? null : readHeaderIssue(error)
  const isAtRow = rows.some(({ key }) => key === issue?.at?.key)
  const add = () => {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1
    onChange([...rows, { key, name: '', value: '', isSecret: false, isKept: false }])
  }
  return (
    <Stack gap="md">
      {isElsewhere && rows.some(({ isKept }) => isKept) && (
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          {t('elsewhere')}
        </Text>
      )}
      {rows.map((row, index) => (
        <Row
          key={row.key}
          row={row}
          number={index + 1}
          isElsewhere={isElsewhere}
          issue={issue?.at?.key === row.key ? issue : null}
          onChange={(changed) => onChange(rows.map((one) => (one.key === row.key ? changed : one)))}
          onRemove={() => onChange(rows.filter((one) => one.key !== row.key))}
        />
      ))}
      {issue && !isAtRow && <Input.Error role="alert">{issue.text}</Input.Error>}
      {rows.length < webhookLimits.headers && (
        <div>
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={add}>
            {t('add')}
          </Button>
        </div>
      )}
    </Stack>
  )
}

interface RowProps {
  row: HeaderRow
  number: number
  isElsewhere: boolean
  /** The message at an input of this row. */
  issue: HeaderIssue | null
  onChange: (row: HeaderRow) => void
  onRemove: () => void
}

function Row({ row, number, isElsewhere, issue, onChange, onRemove }: RowProps) {
  const t = useTranslations('webhooks.form.headers')
  const { key, name, value, isSecret, isKept } = row
  const errorAt = (input: 'name' | 'value') => (issue?.at?.input === input ? issue.text : null)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame around each row.
    <div className={classes.header} role="group" aria-label={name || t('number', { number })}>
      <TextInput
        name={headerInputName(key, 'name')}
        label={t('name')}
        placeholder="Authorization"
        value={name}
        error={errorAt('name')}
        readOnly={isKept}
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
        spellCheck={false}
      />
      {isKept && !isElsewhere ? (
        <TextInput
          name={headerInputName(key, 'value')}
          label={t('value')}
          value="••••••••"
          error={errorAt('value')}
          readOnly
          rightSectionWidth="auto"
          rightSection={
            <Button size="compact-xs" variant="subtle" onClick={() => onChange({ ...row, isKept: false })}>
              {t('replace')}
            </Button>
          }
        />
      ) : (
        <TextInput
          name={headerInputName(key, 'value')}
          label={t('value')}
          value={value}
          error={errorAt('value')}
          onChange={(event) => onChange({ ...row, value: event.currentTarget.value, isKept: false })}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Switch
        className={classes.secret ?? ''}
        label={t('secret')}
        checked={isSecret}
        // A stored secret cannot be shown, so it cannot be turned into a visible value.
        disabled={isKept}
        onChange={(event) => onChange({ ...row, isSecret: event.currentTarget.checked })}
      />
      <ActionIcon
        className={classes.remove ?? ''}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t('remove', { name: name || t('number', { number }) })}
        onClick={onRemove}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </div>
  )
}
