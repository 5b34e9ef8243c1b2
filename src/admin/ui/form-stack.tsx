import { Stack, type StackProps } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './form-stack.module.css'

interface FormStackProps extends Pick<StackProps, 'role' | 'aria-labelledby'> {
  children: ReactNode
}

/**
 * A vertical stack of the inputs and buttons of a form. The gaps leave space for a message of one line below each
 * input.
 */
export function FormStack(props: FormStackProps) {
  return <Stack className={classes.stack ?? ''} {...props} />
}
