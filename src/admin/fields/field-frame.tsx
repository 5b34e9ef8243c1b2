import { Skeleton } from '@mantine/core'
import { type FormEvent, type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { Issue } from '#shared/errors.ts'
import classes from './field-frame.module.css'
import type { AdminFieldType, FieldInputProps } from './field-props.ts'
import { fieldIssueText } from './issue-text.ts'

interface FieldFrameProps extends Omit<FieldInputProps, 'labelId' | 'describedBy'> {
  look: AdminFieldType
  /** What stands beside the field's name. */
  marks?: ReactNode
  /** Told by assistive technology only: something else shows the name. */
  nameless?: boolean
  /** Said below the input while nothing is wrong. */
  note?: ReactNode
}

/** Does it speak of an item, or of something in one? */
const isItem = ({ path }: Issue) => /^\d/.test(path)

/** Enter in a box sends nothing anywhere. */
const stayHere = (event: FormEvent) => event.preventDefault()

/** An input with its field's name, hints and messages around it. */
export function FieldFrame({ look, marks, nameless, note, ...input }: FieldFrameProps) {
  const t = useTranslations('fields')
  const { field, id, issues } = input
  const Input = look.input
  const [labelId, helpId] = [`${id}-label`, `${id}-help`]
  const shown = look.showsInner ? issues.filter(({ path }) => path === '') : issues
  /** Here the value can be put right, and may be kept as it is until then. */
  const say = (issue: Issue) =>
    issue.code === 'DuplicatedValue' ? t('duplicate') : fieldIssueText(field, issue)
  // Of the boxes of one form a browser that fills in forms looks at every one with every key.
  const Box = look.showsInner ? 'div' : 'form'
  return (
    <Box
      className={classes.field}
      data-invalid={issues.length > 0 || undefined}
      data-nameless={nameless || undefined}
      data-read-only={input.readOnly || undefined}
      {...(look.showsInner ? {} : { noValidate: true, onSubmit: stayHere })}
    >
      {!look.labelInside && (
        <div className={classes.label}>
          {look.group?.(field) ? (
            <span id={labelId}>{field.name}</span>
          ) : (
            <label id={labelId} htmlFor={id}>
              {field.name}
            </label>
          )}
          {marks}
        </div>
      )}
      {field.description && (
        <div id={`${id}-description`} className={classes.description}>
          {field.description}
        </div>
      )}
      <Suspense fallback={<Skeleton height={60} />}>
        <Input
          {...input}
          labelId={labelId}
          describedBy={field.description ? `${id}-description ${helpId}` : helpId}
        />
      </Suspense>
      <div id={helpId} className={classes.help}>
        {shown.map((issue) => (
          <div key={`${issue.path} ${issue.code}`} className={classes.message}>
            {isItem(issue)
              ? t('itemIssue', { number: Number.parseInt(issue.path, 10) + 1, text: say(issue) })
              : say(issue)}
          </div>
        ))}
        {issues.length === 0 && note}
      </div>
    </Box>
  )
}
